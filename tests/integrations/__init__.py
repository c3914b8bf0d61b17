"""Tests of rtgen.integrations, with real tokenizers that are made on the spot."""
