"""Learn to play by watching: a gardener, two ghosts, and an expert whose choices a linear model imitates.

    python examples/grid_game.py                        teach, test, and report
    python examples/grid_game.py --variant logistic     by the probabilities of the choices
    python examples/grid_game.py --show                 and one game of the learner, frame by frame
    python examples/grid_game.py --games 500 --seed 7   more games for the figures, other ones

The garden is a maze (#). The gardener (@) wants to pick every fruit (.) and must not meet a ghost (G). Each turn the
gardener takes one step, then each ghost may: more often than not towards the gardener, else any way.

The expert knows the ghosts' habits and looks HORIZON turns ahead: by dynamic programming it has the chance to stay
free after each possible step. Among the steps within RISK of the best it takes the one nearest to a fruit.

The learner sees a few numbers φ(a, s) for each possible step a, looks only GLANCE turns ahead, and learns weights from
the expert's choices: w·φ(expert's step) ≥ w·φ(any other step). It is tested in gardens it has never seen. Agreement is
counted strictly: its step must be the expert's own, even where another would have been as good.
"""

from __future__ import annotations

import argparse
import math
import random
from dataclasses import dataclass

from garden import HORIZON, Game, Player, State, play_many
from linsep import ChoicePerceptron

BACK = {"north": "south", "south": "north", "east": "west", "west": "east"}
RISK = 0.02
GLANCE = 6


# -- what can be seen of a step -------------------------------------------------------------------------------


def to_fruit(before: State, after: State) -> int:
    """Steps to the nearest fruit; 0 where the last step picked one."""
    if len(after.fruit) < len(before.fruit):
        return 0
    return min(after.garden.distance[after.gardener][fruit] for fruit in after.fruit)


def survival(state: State, turns: int) -> float:
    """The chance to stay free for so many turns when the ghosts move next."""
    gardener, ghost, other = (state.garden.number[cell] for cell in (state.gardener, *state.ghosts))
    return float(state.garden.survival[turns][gardener, ghost, other])


FEATURES = [
    "picks a fruit", "steps to fruit", "1 / (1 + steps to fruit)", "nearer to a fruit",
    "ghost may catch", "1 / (1 + ghost distance)", "1 / (1 + other ghost's)", "ways on", "dead end",
    "free for a while", "log of that", "turns back", "goes straight on", "north", "east", "south",
]  # fmt: skip


def features(state: State, action: str) -> list[float]:
    """φ(a, s): the situation after the step, before the ghosts move."""
    after = state.after(action)
    steps, before = to_fruit(state, after), to_fruit(state, state)
    near, other = sorted(state.garden.distance[after.gardener][ghost] for ghost in after.ghosts)
    ways, free = len(after.actions), survival(after, GLANCE)
    return [
        steps == 0, steps, 1 / (1 + steps), steps < before,
        near <= 1, 1 / (1 + near), 1 / (1 + other), ways, ways == 1,
        free, math.log(free + 0.01), action == BACK.get(state.last), action == state.last,
        action == "north", action == "east", action == "south",
    ]  # fmt: skip


def seen(state: State) -> dict[str, list[float]]:
    return {action: features(state, action) for action in state.actions}


def lessons(games: list[Game]) -> tuple[list[dict[str, list[float]]], list[str]]:
    """What `ChoicePerceptron` learns from: the states with their actions, and the expert's choices."""
    states = [seen(state) for game in games for state in game.states]
    return states, [action for game in games for action in game.actions]


# -- the players ----------------------------------------------------------------------------------------------


def expert(state: State) -> str:
    """Among the steps within RISK of the best chance to stay free, that nearest to a fruit, then straight on."""
    after = {action: state.after(action) for action in state.actions}
    won = [action for action, then in after.items() if then.won and not then.lost]
    if won:
        return won[0]
    free = {action: survival(then, HORIZON) for action, then in after.items()}
    careful = [action for action in after if free[action] >= max(free.values()) - RISK]
    return min(careful, key=lambda action: (to_fruit(state, after[action]), action != state.last))


def learner(model: ChoicePerceptron) -> Player:
    return lambda state: str(model.predict([seen(state)])[0])


def random_player(seed: int) -> Player:
    rng = random.Random(seed)
    return lambda state: rng.choice(state.actions)


# -- the lesson and its report --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Report:
    """The model, its agreement with the expert on unseen states, and the shares of games won."""

    model: ChoicePerceptron
    learned_from: int
    unseen: int
    agreement: float
    wins: dict[str, float]


def teach(variant: str, games: int, seed: int) -> Report:
    """Learn from half as many games of the expert as are then played to compare."""
    states, choices = lessons(play_many(expert, max(games // 2, 1), seed, unseen=False))
    model = ChoicePerceptron(variant, average=True, order="shuffled", max_epochs=20, alpha=1e-6, random_state=seed)
    model.fit(states, choices)
    shown = play_many(expert, games, seed, unseen=True)
    new_states, new_choices = lessons(shown)
    players = {"learner": learner(model), "random steps": random_player(seed)}
    wins = {"expert": share_won(shown)}
    wins |= {name: share_won(play_many(player, games, seed, unseen=True)) for name, player in players.items()}
    return Report(model, len(states), len(new_states), model.score(new_states, new_choices), wins)


def share_won(games: list[Game]) -> float:
    return sum(game.won for game in games) / len(games)


def show_game(player: Player, seed: int) -> None:
    game = play_many(player, 1, seed, unseen=True)[0]
    for turn, (state, action) in enumerate(zip(game.states, game.actions, strict=True), 1):
        print(f"turn {turn}: {action}\n{state.frame()}\n")
    print("won: every fruit is picked\n" if game.won else "lost\n")


def main() -> None:
    parser = argparse.ArgumentParser(description="A learner imitates an expert of a small grid game.")
    parser.add_argument("--games", type=int, default=200, help="games to compare the players in (default: 200)")
    parser.add_argument("--seed", type=int, default=0, help="of the games (default: 0)")
    parser.add_argument("--variant", choices=["perceptron", "logistic"], default="perceptron")
    parser.add_argument("--show", action="store_true", help="show one game of the learner, frame by frame")
    arguments = parser.parse_args()
    if arguments.games < 1 or arguments.seed < 0:
        parser.error("--games is at least 1 and --seed at least 0")
    report = teach(arguments.variant, arguments.games, arguments.seed)
    if arguments.show:
        show_game(learner(report.model), arguments.seed)
    print(f"learned from     {report.learned_from:,} choices of the expert ({report.model.status_.value})")
    print(f"agreement        {report.agreement:.1%} of {report.unseen:,} choices in gardens it has not seen")
    for name, share in report.wins.items():
        print(f"{name:<16} wins {share:.1%} of {arguments.games} games there")
    print("\nWhat it has learned: the weight of each thing it sees of a step")
    for name, weight in sorted(zip(FEATURES, report.model.coef_, strict=True), key=lambda pair: -abs(pair[1])):
        print(f"  {name:<26} {weight:>10.3f}")


if __name__ == "__main__":
    main()
