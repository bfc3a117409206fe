"""Sound files arrive as they were saved; files that do not fit are refused in words."""

import numpy as np
import pytest
import safetensors.numpy
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import save as save_torch

from tests.visualiser.upload.refusals import refused
from visualiser.upload import FILE_LIMIT, FORMATS, canonical, read_upload
from visualiser.upload.refusals import shape_text
from visualiser.upload.size_limits import MAXIMUM_NUMBERS


@pytest.fixture
def saved(npz, csv_file):
    return {".npz": npz, ".safetensors": safetensors.numpy.save, ".csv": csv_file}


@pytest.mark.parametrize("extension", FORMATS)
def test_a_file_comes_back_as_it_was_saved(saved, arrays, extension):
    inputs = read_upload("heads" + extension, saved[extension](arrays))
    for name, array in arrays.items():
        read = getattr(inputs, name)
        assert read.dtype == torch.float32
        np.testing.assert_array_equal(read.numpy(), array)


@pytest.mark.parametrize("extension", FORMATS)
def test_without_V_the_keys_are_retrieved(saved, arrays, extension):
    del arrays["V"]
    inputs = read_upload("heads" + extension, saved[extension](arrays))
    assert torch.equal(inputs.V, inputs.K)


@pytest.mark.parametrize("extension", [".npz", ".safetensors"])
def test_one_head_may_come_without_its_axis(saved, arrays, extension):
    inputs = read_upload(
        "HEAD" + extension.upper(), saved[extension]({name: array[1] for name, array in arrays.items()})
    )
    assert [tuple(tensor.shape) for tensor in (inputs.Q, inputs.K, inputs.V)] == [(1, 5, 11), (1, 7, 11), (1, 7, 13)]


@pytest.mark.parametrize("extension", FORMATS)
def test_keys_and_values_of_grouped_queries_serve_as_many_heads_in_a_row(saved, extension):
    rng = np.random.default_rng(0)
    shapes = {"Q": (6, 5, 11), "K": (3, 7, 11), "V": (3, 7, 13)}
    arrays = {name: rng.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}
    inputs = read_upload("heads" + extension, saved[extension](arrays))
    np.testing.assert_array_equal(inputs.Q.numpy(), arrays["Q"])
    np.testing.assert_array_equal(inputs.K.numpy(), arrays["K"][[0, 0, 1, 1, 2, 2]])
    np.testing.assert_array_equal(inputs.V.numpy(), arrays["V"][[0, 0, 1, 1, 2, 2]])
    del arrays["V"]
    assert read_upload("heads" + extension, saved[extension](arrays)).V.shape == (6, 7, 11)


def test_heads_that_do_not_divide_those_of_the_queries_are_refused(npz):
    message = "K must have the h of Q, 6; its h is {} (n counts vectors, d their components, h heads)."
    for heads in (4, 12):
        arrays = {"Q": np.zeros((6, 5, 11), np.float32), "K": np.zeros((heads, 7, 11), np.float32)}
        refused("heads.npz", npz(arrays), "upload_mismatch", message.format(heads))


def test_shared_keys_count_once_for_each_head(npz):
    width = MAXIMUM_NUMBERS // (3 * 16 * 512) + 1
    arrays = {"Q": np.zeros((16, 512, width), np.float16), "K": np.zeros((1, 512, width), np.float16)}
    refused(
        "heads.npz",
        npz(arrays),
        "upload_numbers",
        f"Q, K and V together hold {3 * 16 * 512 * width} numbers or more (a missing V counts as K); "
        f"at most {MAXIMUM_NUMBERS} are read.",
    )


@pytest.mark.parametrize("extension", [".npz", ".safetensors"])
@pytest.mark.parametrize("dtype", ["float64", "float16", "int64", "int8", "uint8"])
def test_floats_and_integers_become_float32(saved, arrays, extension, dtype):
    rounded = {name: np.round(np.abs(array) * 7).astype(dtype) for name, array in arrays.items()}
    inputs = read_upload("heads" + extension, saved[extension](rounded))
    np.testing.assert_array_equal(inputs.Q.numpy(), rounded["Q"].astype(np.float32))


def test_npz_in_either_byte_order_and_column_order(npz, arrays):
    arrays["Q"] = arrays["Q"].astype(">f8")
    arrays["K"] = np.asfortranarray(arrays["K"])
    inputs = read_upload("heads.npz", npz(arrays))
    np.testing.assert_array_equal(inputs.Q.numpy(), arrays["Q"].astype(np.float32))
    np.testing.assert_array_equal(inputs.K.numpy(), arrays["K"])


def test_bfloat16_is_exact(arrays):
    tensors = {name: torch.from_numpy(array).bfloat16() for name, array in arrays.items()}
    inputs = read_upload("heads.safetensors", save_torch(tensors))
    assert torch.equal(inputs.V, tensors["V"].float())


def test_names_in_lower_case_and_other_tensors_beside_them(arrays):
    beside = {
        "q": arrays["Q"],
        "k": arrays["K"],
        "layer.0.Q": np.zeros(2, np.float32),
        "label": np.zeros((1, 1), np.float32),
    }
    inputs = read_upload("heads.safetensors", safetensors.numpy.save(beside, metadata={"Q": "is no tensor"}))
    np.testing.assert_array_equal(inputs.Q.numpy(), arrays["Q"])


@settings(max_examples=25, deadline=None)
@given(heads=st.integers(1, 16), rows=st.integers(2, 19), width=st.integers(1, 17), seed=st.integers(0, 2**32 - 1))
def test_canonical_is_read_back_bit_for_bit(heads, rows, width, seed):
    drawn = np.random.default_rng(seed).standard_normal((2, heads, rows, width)).astype(np.float32)
    inputs = read_upload("heads.safetensors", safetensors.numpy.save({"Q": drawn[0], "K": drawn[1]}))
    again = read_upload("again.safetensors", canonical(inputs))
    assert all(torch.equal(getattr(inputs, name), getattr(again, name)) for name in ("Q", "K", "V"))


def test_the_largest_upload_fits_into_its_own_canonical_form():
    width = MAXIMUM_NUMBERS // (3 * 16 * 512)
    largest = np.zeros((16, 512, width), np.float16)
    inputs = read_upload("heads.safetensors", safetensors.numpy.save({"Q": largest, "K": largest}))
    assert len(canonical(inputs)) <= FILE_LIMIT
    wider = np.zeros((16, 512, width + 1), np.float16)
    came = 3 * 16 * 512 * (width + 1)
    refused(
        "heads.safetensors",
        safetensors.numpy.save({"Q": wider, "K": wider}),
        "upload_numbers",
        f"Q, K and V together hold {came} numbers or more (a missing V counts as K); "
        f"at most {MAXIMUM_NUMBERS} are read.",
    )


def test_a_kind_of_file_that_is_not_read():
    message = "The file “tensors.pt?” is of no known kind; give one that ends in .npz, .safetensors, .csv."
    refused("../etc/tensors.pt\n", b"", "upload_format", message)
    message = "The file “?script?.npy” is of no known kind; give one that ends in .npz, .safetensors, .csv."
    refused("<script>.npy", b"", "upload_format", message)


@pytest.mark.parametrize("extension", FORMATS)
def test_a_file_without_K_lists_what_it_has(saved, arrays, extension):
    names = "Q" if extension == ".csv" else "Q, keys"
    others = {} if extension == ".csv" else {"keys": arrays["K"]}
    message = f"The file has no K; Q and K are needed and V may be added. It holds: {names}."
    refused("heads" + extension, saved[extension]({"Q": arrays["Q"], **others}), "upload_missing", message)


MISFITS = {
    "K": [
        ((2, 7, 11), "K must have the h of Q, 3; its h is 2 (n counts vectors, d their components, h heads)."),
        ((3, 7, 10), "K must have the d of Q, 11; its d is 10 (n counts vectors, d their components, h heads)."),
    ],
    "V": [
        ((1, 7, 13), "V must have the h of K, 3; its h is 1 (n counts vectors, d their components, h heads)."),
        ((3, 5, 13), "V must have the n of K, 7; its n is 5 (n counts vectors, d their components, h heads)."),
    ],
}


@pytest.mark.parametrize("extension", FORMATS)
@pytest.mark.parametrize(
    ("name", "shape", "message"), [(name, *case) for name, cases in MISFITS.items() for case in cases]
)
def test_tensors_that_do_not_fit_each_other(saved, arrays, extension, name, shape, message):
    arrays[name] = np.zeros(shape, np.float32)
    refused("heads" + extension, saved[extension](arrays), "upload_mismatch", message)


SIZES = [
    ((11,), "upload_rank", "Q must have the shape n × d, or h × n × d; its shape is 11."),
    ((), "upload_rank", "Q must have the shape n × d, or h × n × d; its shape is ()."),
    ((1, 3, 5, 11), "upload_rank", "Q must have the shape n × d, or h × n × d; its shape is 1 × 3 × 5 × 11."),
    (
        (17, 5, 11),
        "upload_size",
        "Q must have h between 1 and 16; its h is 17 (n counts vectors, d their components, h heads).",
    ),
    (
        (0, 5, 11),
        "upload_size",
        "Q must have h between 1 and 16; its h is 0 (n counts vectors, d their components, h heads).",
    ),
    (
        (1, 11),
        "upload_size",
        "Q must have n between 2 and 512; its n is 1 (n counts vectors, d their components, h heads).",
    ),
    (
        (3, 513, 1),
        "upload_size",
        "Q must have n between 2 and 512; its n is 513 (n counts vectors, d their components, h heads).",
    ),
    (
        (5, 1025),
        "upload_size",
        "Q must have d between 1 and 1024; its d is 1025 (n counts vectors, d their components, h heads).",
    ),
    (
        (5, 0),
        "upload_size",
        "Q must have d between 1 and 1024; its d is 0 (n counts vectors, d their components, h heads).",
    ),
]


@pytest.mark.parametrize("extension", [".npz", ".safetensors"])
@pytest.mark.parametrize(("shape", "code", "message"), SIZES)
def test_tensors_that_are_no_heads_or_too_large(saved, arrays, extension, shape, code, message):
    arrays["Q"] = np.zeros(shape, np.float32)
    refused("heads" + extension, saved[extension](arrays), code, message)


@pytest.mark.parametrize("extension", FORMATS)
@pytest.mark.parametrize(("number", "shown"), [(np.nan, "nan"), (np.inf, "inf"), (-np.inf, "-inf")])
def test_numbers_that_are_not_finite_are_named_with_their_place(saved, arrays, extension, number, shown):
    arrays["K"][2, 5, 7] = number
    message = f"K must hold finite numbers; at index (2, 5, 7) it has {shown}."
    refused("heads" + extension, saved[extension](arrays), "upload_not_finite", message)


@pytest.mark.parametrize("extension", FORMATS)
def test_a_number_beyond_float32_is_not_finite_either(saved, arrays, extension):
    arrays["Q"] = arrays["Q"].astype(np.float64)
    arrays["Q"][0, 1, 2] = -1e300
    refused(
        "heads" + extension,
        saved[extension](arrays),
        "upload_not_finite",
        "Q must hold finite numbers; at index (0, 1, 2) it has -1e+300.",
    )


@pytest.mark.slow
def test_a_shape_is_written_as_the_paper_does_and_at_most_six_axes_long() -> None:
    assert shape_text((8, 32, 64)) == "8 × 32 × 64"
    assert shape_text((1, 2, 3, 4, 5, 6)) == "1 × 2 × 3 × 4 × 5 × 6"
    assert shape_text((1, 2, 3, 4, 5, 6, 7, 8)) == "1 × 2 × 3 × 4 × 5 × 6 × …"
    assert shape_text(()) == "()"
    assert shape_text((10**12 - 1, 10**12)) == "999999999999 × > 10^12"
