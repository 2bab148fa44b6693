# make demo   train on a data set that ships with scikit-learn and show the model with its certificate
# make test   lint, types, import contract, tests
# make bench  compare with other libraries (installs them; see docs/benchmarks.md)
# The first call makes an environment in .venv and builds the kernels; later calls rebuild only what changed.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
KERNELS := pyproject.toml CMakeLists.txt $(wildcard src/linsep/kernels/*.cpp src/linsep/kernels/*.hpp)

.PHONY: demo test bench clean
demo: $(VENV)/.built
	@$(BIN)/python examples/demo.py

test: $(VENV)/.built
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest -n 2 --dist worksteal

bench: $(VENV)/.peers
	$(BIN)/python -m benchmarks $(ARGS)

$(VENV)/.env:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "linsep needs Python 3.11 or newer; set PYTHON=/path/to/python3.11 and try again."; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.built: $(VENV)/.env $(KERNELS)
	@command -v $${CXX:-g++} >/dev/null || \
	  { echo "linsep compiles its kernels and found no C++ compiler. Install one (Debian, Ubuntu: apt install g++; Fedora: dnf install gcc-c++) and run the same command again."; exit 1; }
	$(BIN)/python -m pip install --quiet --editable '.[test]'
	@touch $@

$(VENV)/.peers: $(VENV)/.built
	$(BIN)/python -m pip install --quiet --editable '.[test,bench]' || $(BIN)/python -m pip install --quiet matplotlib
	@touch $@

clean:
	rm -rf $(VENV) build .mypy_cache .ruff_cache .pytest_cache .hypothesis
