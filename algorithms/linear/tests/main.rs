//! Tests of `linear`, in one program: the engine is linked once.
