//! Operators of ONES: every job within its caps, and the fewest slots that change.
