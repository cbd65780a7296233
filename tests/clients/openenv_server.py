"""A server of OpenEnv plays games with a client, and each game is that of `TextEnv`.

python tests/clients/openenv_server.py
"""

import socket
import threading
import time

import uvicorn
from openenv.core import GenericEnvClient

from parlour.envs.interfaces.openenv import make_app
from parlour.envs.interfaces.text import TextEnv

DEALS = 3


def serve() -> tuple[uvicorn.Server, str]:
    """Start a server on a free port of this machine."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    app = make_app("pyramid", "classic", penalty=0.5)
    server = uvicorn.Server(uvicorn.Config(app, "127.0.0.1", port, log_level="error"))
    threading.Thread(target=server.run, daemon=True).start()
    while not server.started:
        time.sleep(0.05)
    return server, f"http://127.0.0.1:{port}"


def main() -> None:
    server, url = serve()
    begun, steps = time.perf_counter(), 0
    own = TextEnv("pyramid", "classic", penalty=0.5)
    with GenericEnvClient(base_url=url).sync() as client:
        for deal in range(DEALS):
            result = client.reset(deal=deal)
            assert result.observation["text"] == own.reset(options={"deal": deal})
            mistake = client.step({"text": "no move at all"})
            assert mistake.reward == -0.5 and not mistake.done
            while not result.done:
                move = result.observation["legal_actions"][0]
                result = client.step({"text": f"<answer>{move}</answer>"})
                text, reward, done, _ = own.step(move)
                steps += 1
                assert (result.observation["text"], result.reward, result.done) == (
                    text,
                    reward,
                    done,
                )
    server.should_exit = True
    print(f"{DEALS} deals equal to TextEnv")
    print(f"{round(steps / (time.perf_counter() - begun)):,} steps/s")


if __name__ == "__main__":
    main()
