"""Other people's attention, the same cases for all of them: torch, ONNX, keras, scipy, mpmath."""
