"""Examples that the help of each command ends with."""

EXAMPLES = {
    "rules": """\
  parlour rules pyramid
  parlour rules pyramid --variant web
  parlour rules pyramid --variant classic --option passes=2
""",
    "evaluate": """\
  parlour evaluate pyramid --variant classic --agent uniform --deals 20000 --seed 1 --json
  parlour evaluate pyramid --agent mymodule:MyAgent --option passes=2 --option undo=yes
  parlour evaluate seven-twenty-seven --agent greedy --field uniform greedy

--json prints one object on stdout: won, score, moves and the game's further facts, each
{"mean", "low", "high", "n"}, with ms_per_decision, agent, variant, rules, bank and seed. In a game
that nobody wins, won is null, and another word (reached) says how often its aim was reached.
--out writes episodes.parquet (a row a game), summary.json and comparison (png, svg, pdf).

In a game for several the agent plays each deal from every seat, with --field in the others: net is
what it won, in antes a hand, positions the same at each position from the dealer's left.
""",
    "compare": """\
  parlour compare pyramid --variant three-passes --agents uniform greedy runs/my-agent
  parlour compare pyramid --variant classic web --agents uniform greedy --out results --json
  parlour compare seven-twenty-seven --agents uniform greedy --field greedy --deals 2000
  parlour compare poker-squares --variant british --agents greedy mine=trained --any-rules
  parlour compare pyramid --variants all --agents uniform greedy --report pyramid.html
  parlour compare pyramid --agents greedy pimc@40 --jobs -1 --out results

All agents play the same deals. --json prints one object on stdout: {"results": [...],
"differences": [...]}. A result is what "parlour evaluate --json" prints. A difference has variant,
agent, minus, won (or that other word) and score: agent less minus, deal by deal, for each agent and
all given before.
--out writes episodes.parquet (a row a game), summary.json and comparison (png, svg, pdf), --report
tables, pictures and conditions as one page that loads nothing.

In a game for several each agent plays each deal from every seat: in --field, and among seats all
played by each of the others. --json then has "pairs", too, and a difference has net and positions:
each from the dealer's left, with an interval and a p-value corrected by Holm's method.
""",
    "play": """\
  parlour play pyramid                          cards as Th, 10h or T♥, or place numbers; ? for help
  parlour play pyramid --variant web --deal 17  a numbered deal of the bank
  parlour play pyramid --agent greedy           watch an agent, step by step
  parlour play pyramid --agent pimc --explain    ... and see what it thinks
  parlour play pyramid --advisor mcts            type advice to see what that agent thinks
  parlour play seven-twenty-seven --seat 2 --hands 10
  parlour play twenty-eight --until 6            a session: until a side stands at +6
""",
    "deal": """\
  parlour deal convert klondike --deal 17 --to ksolve
  parlour deal convert klondike --from ksolve --deck - < deal.txt
  parlour deal convert klondike --from solvitaire --deck - < deal.json > deck.txt
  parlour solve klondike --deck "$(cat deck.txt)"
""",
    "replay": """\
  parlour evaluate pyramid --agent greedy --deals 100 --record greedy.jsonl
  parlour replay greedy.jsonl                   list the games, and verify all of them
  parlour replay greedy.jsonl --verify --json   verify: exit status 1 if one is not as recorded
  parlour replay greedy.jsonl --game 3          step by step, as text
  parlour replay greedy.jsonl --game 3 --move 10 --svg position.svg
  parlour replay greedy.jsonl --game 3 --film game.gif
  parlour replay greedy.jsonl --game 3 --html game.html
""",
    "review": """\
  parlour review pyramid --deal 17 --agent greedy --out results
  parlour review pyramid --deal 0 --actions "pyramid 22" "pyramid 21" DEAL
  parlour review pyramid --agent greedy --deals 200 --worlds 50
  parlour review seven-twenty-seven --deal 3 --agent greedy --field tight loose
  parlour compare pyramid --agents uniform greedy --deals 300 --out results
  parlour review --from results --lost-though-winnable --agent greedy

Of the worlds that fit what was known, the share that could still be won is found for every legal
action, by the exact solver; where there is none, actions are played out by an agent (--player).
--json prints one object on stdout: first_chance, loss, unseen, luck, outcome and the decisions, or
the means over a bank with by_kind, by_phase and worst.
--out writes decisions.parquet (a row a decision), summary.json and review (png, svg, pdf).
""",
    "serve": """\
  parlour serve
  parlour serve --replay greedy.jsonl
  parlour serve --port 0 --db results.sqlite --agents runs/my-agent

The page is at http://localhost:8727, for this machine alone. It needs pip install "parlour[page]".
""",
    "solve": """\
  parlour solve pyramid --deal 17
  parlour solve pyramid --deal 17 --variant classic --fewest --json
  parlour solve pyramid --deal 17 --actions "pyramid 26" "pyramid 21" DEAL

--json prints one object on stdout: winnable (true, false, or null if that was not decided), moves
in words, cards (those of each move), actions as numbers, fewest (if proven), score, nodes and ms.
""",
    "bank": """\
  parlour bank make pyramid --deals 10000
  parlour bank make pyramid --variant all --no-optimal --jobs 8
  parlour bank make pyramid --deals 1000000 --backend ray --address auto
  parlour bank show pyramid
  parlour bank show pyramid --verify 200        solve a random sample again

A bank that was made is found by evaluate and compare, which then say how an agent did beside what
could be reached. A run that was stopped goes on where it was.
""",
    "board": """\
  parlour board                                 verify every claim by its first deals
  parlour board --only pyramid --deals all      verify every digit of the Pyramid lines
  parlour board --run                           play lines that are new, failed, or out of date
  parlour board --run --page --file mine.csv    the same for your own leaderboard, with its page

A leaderboard is a CSV file with one claim a line. Write the first cells of a new line, game,
variant, options, agent, bank, deals, as in "pyramid,three-passes,,pimc@16,pyramid-1,1000"; --run
plays the line and fills in the rest. An interrupted run resumes with the same command.

Verifying writes nothing; --mark stores its result in the file. The exit status is 1 if a claim
fails. Paths of agents are relative to the CSV file.
""",
    "card": """\
  parlour card runs/pyramid-three-passes-mine
  parlour card runs/mine/seed-0/agent --deals 10000 --search pimc@40

It is written into the agent's folder, as README.md. An agent that has a line on the leaderboard has
its results from there.
""",
    "warm": """\
  parlour warm
  parlour warm pyramid

Kernels are kept on disk. Without this each is compiled when it is first needed, which a line on
stderr says.
""",
    "completion": """\
  eval "$(parlour completion bash)"
  parlour completion zsh

The first line, in ~/.bashrc, is all that bash needs. zsh finds what the second prints as _parlour
in a folder of $fpath, fish as ~/.config/fish/completions/parlour.fish.
""",
    "bench": """\
  parlour bench                                 in a clone: all benchmarks, beside the peers
  parlour bench pyramid --rows 4096 --json
""",
}
