#include "bind.hpp"

NB_MODULE(_parsing, m) {
    nb::set_leak_warnings(false);
    linsep::bind_svmlight(m);
    linsep::bind_fields(m);
    linsep::bind_words(m);
}
