"""GRPOTrainer of TRL plays games with the tool of `make_factory`, and trains a tiny random model.

python tests/clients/trl_grpo.py
"""

import os
import time
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"

import trl
from datasets import Dataset
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM
from transformers.utils import get_json_schema

from parlour.envs.interfaces.text import TextEnv
from parlour.envs.interfaces.trl import CardTools, make_factory


def make_tokenizer() -> PreTrainedTokenizerFast:
    """A tokenizer of bytes, with the chat template of Qwen3 that TRL has."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    special = ["<|im_start|>", "<|im_end|>", "<|endoftext|>"]
    vocabulary = {token: number for number, token in enumerate([*letters, *special])}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token="<|im_end|>", pad_token="<|endoftext|>"
    )
    fast.add_special_tokens({"additional_special_tokens": ["<|im_start|>"]})
    template = Path(trl.__file__).parent / "chat_templates" / "qwen3.jinja"
    fast.chat_template = template.read_text(encoding="utf-8")
    return fast


def make_model(vocabulary: int) -> Qwen3ForCausalLM:
    """A random model with 40,000 parameters."""
    return Qwen3ForCausalLM(
        Qwen3Config(
            vocab_size=vocabulary,
            hidden_size=32,
            intermediate_size=64,
            num_hidden_layers=2,
            num_attention_heads=2,
            num_key_value_heads=1,
            head_dim=16,
            max_position_embeddings=16384,
        )
    )


def play_by_tools() -> int:
    """Play a deal by the tools, as a model would; return the number of moves."""
    tools, own = make_factory("pyramid", "classic")(), TextEnv("pyramid", "classic")
    schema = get_json_schema(tools.play)["function"]
    assert schema["name"] == "play" and list(schema["parameters"]["properties"]) == ["move"]
    prompt, total, done, moves = tools.reset(deal=3, prompt="unused"), 0.0, False, 0
    own.reset(options={"deal": 3})
    assert "Call the tool play" in prompt
    while not done:
        move = own.legal_actions()[0]
        text = tools.play(move)
        observation, reward, done, _ = own.step(move)
        assert text.partition("Call the")[0] == observation.partition("Think first")[0]
        total += reward
        moves += 1
    assert tools.get_reward() == total and tools.play(move) == "The game is over."
    return moves


class Counted(CardTools):
    """Tools that count the games begun and the rewards read."""

    games = rewards = 0

    def reset(self, seed=None, deal=None, **columns):
        Counted.games += 1
        return super().reset(seed, deal, **columns)

    def get_reward(self) -> float:
        Counted.rewards += 1
        return super().get_reward() + self._env.env.state["steps"]


def main() -> None:
    begun, steps = time.perf_counter(), play_by_tools()
    tokenizer = make_tokenizer()
    prompt = [{"role": "user", "content": "Play this game.\n\n"}]
    rows = Dataset.from_dict({"prompt": [prompt] * 4, "deal": [0, 1, 2, 3]})
    trainer = trl.GRPOTrainer(
        model=make_model(len(tokenizer)),
        processing_class=tokenizer,
        train_dataset=rows,
        environment_factory=lambda: Counted(TextEnv("pyramid", "classic")),
        args=trl.GRPOConfig(
            output_dir="out",
            max_steps=2,
            per_device_train_batch_size=2,
            num_generations=2,
            max_completion_length=24,
            report_to=[],
            use_cpu=True,
            bf16=False,
            save_strategy="no",
        ),
    )
    trainer.train()
    assert Counted.games == Counted.rewards == 4, (Counted.games, Counted.rewards)
    print(trainer.state.log_history[0])
    print(f"{round(steps / (time.perf_counter() - begun)):,} steps/s")


if __name__ == "__main__":
    main()
