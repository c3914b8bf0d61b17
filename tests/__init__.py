"""Tests: cases as data, and the differential checks against the oracle."""
