"""Klondike without hidden knowledge: plans up to the next card turned up, judged by hindsight."""
