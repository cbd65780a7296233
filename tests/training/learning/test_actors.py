"""Training with several actors gives the same weights, even if actors crash."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from parlour.training.learning import actors
from parlour.training.learning.actors import (
    Actor,
    Actors,
    Collector,
    RayActors,
    list_places,
    split_rows,
)
from parlour.training.learning.methods.ppo import PPORun, make_ppo
from parlour.training.learning.settings.command import parse
from parlour.training.learning.settings.methods import PPOSettings, make_settings
from parlour.training.learning.train import Interrupted, resume, train
from parlour.training.parallel import processes
from tests.training.learning.runs import read_log, read_result

ROOT = Path(__file__).parents[3]
ROWS, STEPS = 128, 16
SMALL = PPOSettings(
    variant="classic",
    network="embedding",
    width=16,
    depth=1,
    total_steps=4 * ROWS * STEPS,
    n_envs=ROWS,
    n_steps=STEPS,
    batch_size=512,
    n_epochs=1,
    eval_interval=0,
    eval_deals=10,
    checkpoint_interval=ROWS * STEPS,
    device="cpu",
    name="small",
)
TWO = replace(SMALL, actors=2)
RAY = replace(TWO, backend="ray")


def assert_same(folder: Path, other: Path) -> None:
    for name in ("steps", "final", "weights_sha256"):
        assert read_result(folder)[name] == read_result(other)[name], name
    assert read_log(folder) == read_log(other)


def assert_first_same(folder: Path, other: Path) -> None:
    """The first rollout has the same games, and the update differs only by rounding."""
    first, same = read_log(folder)[0], read_log(other)[0]
    assert first.keys() == same.keys() >= {"play/score"}
    for name in first:
        played = name.startswith("play/")
        assert first[name] == (same[name] if played else pytest.approx(same[name], abs=1e-4)), name


@pytest.fixture(scope="module")
def crew() -> Iterator[Actors]:
    """Two actors for all runs here, because they keep no state and take seconds to start."""
    crew = Actors(make_ppo, TWO, split_rows(ROWS, 2))
    yield crew
    crew.close()


Train = Callable[[PPOSettings, Path], Path]


@pytest.fixture(scope="module")
def trained(crew: Actors) -> Iterator[Train]:
    """Train with the two actors."""

    class Shared(Actors):
        def __init__(self, *_: Any) -> None:
            self.actors = crew.actors

        def close(self) -> None:
            pass

    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(actors.CREWS, "processes", Shared)
        yield lambda settings, runs: train(replace(settings, runs=str(runs)), quiet=True)


@pytest.fixture(scope="module")
def two(trained: Train, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An uninterrupted run with two actors."""
    return trained(TWO, tmp_path_factory.mktemp("two"))


def test_two_actors_play_the_games_that_one_plays(two: Path, tmp_path: Path) -> None:
    """Return the first rollout, in which rounding differences between CPUs have no effect yet."""
    one = train(replace(SMALL, runs=str(tmp_path)), quiet=True)
    assert_first_same(two, one)
    assert read_result(two)["steps"] == read_result(one)["steps"] == SMALL.total_steps


class HereActors(Actors):
    """Actors that run one after the other in this process."""

    def __init__(self, make: Any, settings: PPOSettings, parts: Any) -> None:
        self.here = [Collector(make, settings, rows) for rows in parts]

    def collect(self, jobs: Any) -> Any:
        return [one.collect(job) for one, job in zip(self.here, jobs, strict=True)]

    def close(self) -> None:
        pass


@pytest.mark.parametrize(
    "changed",
    [
        {"network": "mlp", "critic": "cards"},
        {"variant": None, "variants": ("classic", "book")},
        {"max_moves": 9, "actors": 3},
        {"variant": "three-passes", "reward": "win", "end_lost": True},
    ],
    ids=["critic", "rules", "truncated", "end_lost"],
)
def test_all_that_is_played_goes_to_the_actors(
    changed: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(actors.CREWS, "processes", HereActors)
    settings = replace(TWO, **changed)
    by_actors = train(replace(settings, runs=str(tmp_path / "actors")), quiet=True)
    alone = train(replace(settings, actors=1, runs=str(tmp_path / "alone")), quiet=True)
    assert_first_same(by_actors, alone)


def test_a_killed_actor_changes_nothing(
    two: Path, trained: Train, crew: Actors, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    send, sent = Actor.send, []

    def send_and_kill(actor: Actor, job: Any) -> None:
        send(actor, job)
        sent.append(actor.number)
        if sent.count(1) == 2 and actor.number == 1:
            os.kill(actor.process.pid or 0, signal.SIGKILL)

    monkeypatch.setattr(Actor, "send", send_and_kill)
    with pytest.warns(RuntimeWarning, match=r"actor 1 crashed \(exit status -9\) and is restarted"):
        folder = trained(TWO, tmp_path)
    assert sent.count(0) == 4 and sent.count(1) == 5
    assert_same(folder, two)


def test_a_stopped_run_goes_on_to_the_same_weights(
    two: Path, trained: Train, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    iterate, calls = PPORun.iterate, []

    def stopping(run: PPORun) -> dict[str, float]:
        calls.append(run)
        if len(calls) == 2:
            os.kill(os.getpid(), signal.SIGINT)
        return iterate(run)

    monkeypatch.setattr(PPORun, "iterate", stopping)
    with pytest.raises(Interrupted) as stopped:
        trained(TWO, tmp_path)
    monkeypatch.undo()
    assert_same(resume(stopped.value.folder, quiet=True), two)


def test_an_actor_that_fails_says_how(crew: Actors) -> None:
    crew.actors[0].send("no job")  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match=r"(?s)actor 0 failed:.*AttributeError"):
        crew.actors[0].receive("no job")  # type: ignore[arg-type]


def test_an_actor_that_always_dies_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    actor = Actor.__new__(Actor)
    actor.number, (actor.connection, theirs) = 3, actors.multiprocessing.Pipe()
    theirs.close()
    monkeypatch.setattr(Actor, "_start_again", lambda _: None)
    with pytest.raises(ChildProcessError, match="actor 3 crashed 3 times during one rollout"):
        actor.receive("a job")  # type: ignore[arg-type]


def test_rows_are_split_in_whole_blocks() -> None:
    assert split_rows(256, 3) == [range(80), range(80, 160), range(160, 256)]
    assert split_rows(100, 2) == [range(48), range(48, 100)]
    assert [len(rows) for rows in split_rows(5, 4)] == [1, 1, 1, 2]
    for n in range(1, 70):
        for k in range(1, n + 1):
            parts = split_rows(n, k)
            assert [i for rows in parts for i in rows] == list(range(n))
            assert len(parts) == k and all(parts)


def test_actions_are_drawn_as_for_all_rows_at_once() -> None:
    collector = Collector.__new__(Collector)
    collector.settings, collector.rows = SMALL, range(48, 128)
    probabilities = torch.rand(ROWS, 40, generator=torch.Generator().manual_seed(1))
    state = torch.get_rng_state()
    whole = torch.multinomial(probabilities, 1).squeeze(1)
    after = torch.get_rng_state()
    torch.set_rng_state(state)
    assert torch.equal(collector._draw(probabilities[48:]), whole[48:])
    assert np.array_equal(torch.get_rng_state(), after)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"actors": 0}, "actors must be an integer from 1 to 1024, got 0"),
        ({"actors": 2.5}, "actors must be an integer, got 2.5"),
        ({"actors": 9, "n_envs": 8}, "actors must be an integer from 1 to n_envs=8, got 9"),
        ({"backend": "ray"}, "backend 'ray' requires actors of 2 or more, got actors=1"),
        ({"backend": "dask", "actors": 2}, "backend must be one of 'processes', 'ray', got 'dask'"),
        ({"address": "auto", "actors": 2}, "address='auto' requires backend='ray'"),
        ({"method": "pqn", "actors": 2}, "method 'pqn' does not use setting 'actors'"),
        ({"method": "cma-es", "actors": 2}, "method 'cma-es' does not use setting 'actors'"),
    ],
)
def test_bad_settings_are_named(given: dict[str, Any], text: str) -> None:
    with pytest.raises(ValueError) as error:
        make_settings(**given)
    assert text in str(error.value)


def test_the_command_line_has_the_flags() -> None:
    words = "pyramid --preset ppo --actors 2 --backend ray --address auto"
    settings = parse(words.split())
    assert isinstance(settings, PPOSettings)
    assert (settings.actors, settings.backend, settings.address) == (2, "ray", "auto")


def test_without_ray_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "ray" not in vars(actors)
    monkeypatch.setattr(processes, "find_spec", lambda _: None)
    with pytest.raises(ImportError, match=r"backend 'ray' needs ray: pip install .parlour\[ray\]"):
        RayActors(make_ppo, RAY, split_rows(ROWS, 2))


def test_actors_of_ray_go_to_each_machine_in_turn() -> None:
    nodes: list[dict[str, Any]] = [
        {"NodeID": "a", "Alive": True, "Resources": {"CPU": 3.0}},
        {"NodeID": "b", "Alive": True, "Resources": {"CPU": 1.0}},
        {"NodeID": "dead", "Alive": False, "Resources": {"CPU": 8.0}},
        {"NodeID": "head", "Alive": True, "Resources": {}},
    ]
    assert list_places(nodes) == ["a", "b", "a", "a"]
    with pytest.raises(ConnectionError, match="no machine of the cluster"):
        list_places(nodes[2:])


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def actors_of(learner: int) -> list[int]:
    """Return the child processes of a process."""
    listed = Path(f"/proc/{learner}/task/{learner}/children").read_text()
    return [int(pid) for pid in listed.split()]


def wait_until(reached: Callable[[], Any], seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not reached():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes in /proc")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_actors_end_with_the_learner(how: signal.Signals, tmp_path: Path) -> None:
    """Ctrl-C in a terminal interrupts the whole process group; a kill ends only the learner."""
    words = "pyramid --total-steps 1e8 --n-envs 64 --n-steps 16 --batch-size 256 --actors 2"
    command = [sys.executable, "-m", "parlour.training.learning.train", *words.split()]
    with subprocess.Popen(
        [*command, "--name", "orphans", "--runs", str(tmp_path)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        start_new_session=True,
    ) as learner:
        wait_until(lambda: any(tmp_path.glob("*/seed-0/progress.jsonl")))
        (log,) = tmp_path.glob("*/seed-0/progress.jsonl")
        wait_until(lambda: log.stat().st_size)
        started = actors_of(learner.pid)
        assert len(started) >= 2
        if how == signal.SIGINT:
            os.killpg(learner.pid, how)
        else:
            learner.kill()
        _, message = learner.communicate(timeout=120)
    assert learner.returncode == (130 if how == signal.SIGINT else -9)
    assert "Traceback" not in message and "crashed" not in message
    wait_until(lambda: not any(map(alive, started)), 20)


def kill_actor(crew: RayActors, _: Any) -> None:
    crew.ray.kill(crew.actors[1], no_restart=False)


def kill_node(_: RayActors, cluster: Any) -> None:
    cluster.remove_node(cluster.list_all_nodes()[1], allow_graceful=False)


def find_places(crew: RayActors) -> list[str]:
    """Return the nodes of the actors once all have started."""
    crew.ray.get([actor.__ray_ready__.remote() for actor in crew.actors])
    result = crew.ray._private.state.actors().values()
    return sorted(one["Address"]["NodeID"] for one in result)


@pytest.mark.slow
@pytest.mark.parametrize("kill", [kill_actor, kill_node])
def test_actors_of_ray_come_to_the_same_weights_though_one_dies(
    kill: Callable[..., None], two: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a cluster of two nodes, one dies during the second rollout."""
    cluster_utils = pytest.importorskip("ray.cluster_utils")
    collect, rollouts, places, killed = RayActors.collect, [], [], []

    def kill_and_note(crew: RayActors) -> None:
        kill(crew, cluster)
        killed.append(len(rollouts))

    def collect_and_kill(crew: RayActors, jobs: Any) -> Any:
        rollouts.append(jobs)
        if len(rollouts) == 2:
            places.append((find_places(crew), list_places(crew.ray.nodes())))
            killer = threading.Timer(0.02, kill_and_note, (crew,))
            killer.start()
            played = collect(crew, jobs)
            killer.join()
            return played
        return collect(crew, jobs)

    monkeypatch.setattr(RayActors, "collect", collect_and_kill)
    cluster = cluster_utils.Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    try:
        cluster.add_node(num_cpus=1)
        cluster.wait_for_nodes()
        before = signal.getsignal(signal.SIGTERM)
        settings = replace(RAY, runs=str(tmp_path), address=cluster.address)
        folder = train(settings, quiet=True)
        assert signal.getsignal(signal.SIGTERM) is before
    finally:
        cluster.shutdown()
    assert len(rollouts) == 4 and killed == [2]
    assert [result for result, _ in places] == [both for _, both in places]
    assert_same(folder, two)
