#!/usr/bin/env python3
"""Tests of scripts/convert_sam.py and scripts/convert_yolo_psa.py on seeded modules.

Run by hand, it makes and enters `.venv-golden`. ctest runs it with `--skip`: it then downloads nothing and
is skipped where that environment is not there yet. The converted numbers are also proven by
test/Golden/make_golden.py, on every case.
"""

import sys
from pathlib import Path

SKIPPED = 77  # the exit code that ctest takes for a skipped test

SCRIPTS = Path(__file__).resolve().parent.parent.parent / "scripts"
sys.path.insert(0, str(SCRIPTS))
import python_env

if __name__ == "__main__":
    if "--skip" in sys.argv and not python_env.is_made("golden"):
        print("skipped: needs the packages of .venv-golden, which `scripts/python_env.py golden` makes")
        sys.exit(SKIPPED)
    python_env.enter("golden")

import contextlib
import io
import subprocess
import tempfile
import unittest

import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file
from segment_anything.modeling.transformer import TwoWayTransformer
from ultralytics.nn.modules.block import PSABlock

import convert_sam
import convert_yolo_psa


class ConverterTest(unittest.TestCase):
    """A scratch folder, and a way to run a converter in it: its main function, as the program would."""

    converter = None

    def setUp(self) -> None:
        torch.manual_seed(7)
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.output = self.folder / "out.safetensors"

    def converted(self, source: Path, *options: str) -> dict[str, torch.Tensor]:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            self.converter.main([str(source), "-o", str(self.output), *options])
        self.message = printed.getvalue()
        return load_file(self.output)

    def assert_refused(self, source: Path, message: str, *options: str) -> None:
        """Ends with one line (which makes the exit code 1), and no file left."""
        before = set(self.folder.iterdir())
        with self.assertRaises(SystemExit) as raised:
            self.converter.main([str(source), "-o", str(self.output), *options])
        error = raised.exception.code
        self.assertIsInstance(error, str)
        self.assertTrue(error.startswith("error: ") and "\n" not in error, error)
        self.assertIn(message, error)
        self.assertEqual(set(self.folder.iterdir()), before)


class SamTest(ConverterTest):
    converter = convert_sam

    def state(self, prefix: str = "mask_decoder.transformer.") -> dict[str, torch.Tensor]:
        module = TwoWayTransformer(depth=2, embedding_dim=32, num_heads=4, mlp_dim=48)
        return {f"{prefix}{name}": value for name, value in module.state_dict().items()}

    def save(self, state: object) -> Path:
        path = self.folder / "sam.pth"
        torch.save(state, path)
        return path

    def test_names_shapes_and_values(self) -> None:
        state = self.state()
        params = self.converted(self.save(state), "--num-heads", "4")
        self.assertEqual(len(params), 2 * (3 * 8 + 2 * 2 + 4 * 2) + 8 + 2)
        prefix = "mask_decoder.transformer."
        for name, source in {
            "L0.self.q": "layers.0.self_attn.q_proj",
            "L1.t2i.o": "layers.1.cross_attn_token_to_image.out_proj",
            "L0.i2t.v": "layers.0.cross_attn_image_to_token.v_proj",
            "L1.mlp2": "layers.1.mlp.lin2",
            "final.k": "final_attn_token_to_image.k_proj",
        }.items():
            self.assertTrue(torch.equal(params[f"{name}.w"], state[f"{prefix}{source}.weight"].T), name)
            self.assertTrue(torch.equal(params[f"{name}.b"], state[f"{prefix}{source}.bias"]), name)
        self.assertTrue(torch.equal(params["L1.n4.g"], state[f"{prefix}layers.1.norm4.weight"]))
        self.assertTrue(torch.equal(params["final_ln.b"], state[f"{prefix}norm_final_attn.bias"]))
        self.assertIn("embed_dim=32&num_heads=4&internal_dim=16&self_internal_dim=32&mlp_dim=48&depth=2", self.message)

    def test_as_a_program(self) -> None:
        source = self.save(self.state())
        command = [SCRIPTS / "convert_sam.py", source, "-o", self.output, "--num-heads"]
        wrong = subprocess.run([*command, "5"], capture_output=True, text=True)
        self.assertEqual((wrong.returncode, wrong.stdout), (1, ""))
        self.assertEqual(wrong.stderr, "error: num_heads 5: expected a divisor of the internal size 16\n")
        self.assertFalse(self.output.exists())
        right = subprocess.run([*command, "4"], capture_output=True, text=True)
        self.assertEqual((right.returncode, right.stderr), (0, ""))
        self.assertTrue(self.output.exists())

    def test_other_spellings_and_containers(self) -> None:
        state = self.state()
        expected = self.converted(self.save(state), "--num-heads", "4")
        renamed = {
            name.replace("mask_decoder", "sam_mask_decoder")
            .replace(".mlp.lin1", ".mlp.layers.0")
            .replace(".mlp.lin2", ".mlp.layers.1")
            .replace(".norm", ".layer_norm"): value.contiguous()
            for name, value in state.items()
        }
        self.assertNotEqual(set(renamed), set(state))
        wrapped = self.converted(self.save({"model": renamed, "epoch": 3}), "--num-heads", "4")
        save_file(renamed, self.folder / "hub.safetensors")
        stored = self.converted(self.folder / "hub.safetensors", "--num-heads", "4")
        for name, value in expected.items():
            self.assertTrue(torch.equal(value, wrapped[name]) and torch.equal(value, stored[name]), name)

    def test_half_precision_becomes_f32(self) -> None:
        state = {name: value.half() for name, value in self.state().items()}
        params = self.converted(self.save(state), "--num-heads", "4")
        self.assertEqual({value.dtype for value in params.values()}, {torch.float32})

    def test_refusals(self) -> None:
        state = self.state()
        name = "mask_decoder.transformer.layers.1.norm2.bias"
        short = dict(state, **{name: torch.zeros(31)})
        gap = {key.replace("layers.1.", "layers.2."): value for key, value in state.items()}
        missing = {key: value for key, value in state.items() if key != name}
        twice = state | self.state("teacher.")
        heads = ("--num-heads", "4")
        self.assert_refused(self.save(missing), "'layers.1.norm2.bias': missing", *heads)
        self.assert_refused(self.save(short), "'layers.1.norm2.bias': expected shape [32], found [31]", *heads)
        self.assert_refused(self.save(gap), "expected layers numbered from 0, found [0, 2]", *heads)
        self.assert_refused(self.save(twice), "found 2 two-way transformers; choose one with --prefix", *heads)
        self.assert_refused(self.save(twice), "prefix 'pupil': expected one of", *heads, "--prefix", "pupil")
        self.assert_refused(self.save({"weight": torch.zeros(2)}), "expected a two-way transformer", *heads)
        self.assert_refused(self.save(state), "num_heads 3: expected a divisor", "--num-heads", "3")
        self.assert_refused(self.folder / "absent.pth", "no such file")
        self.converted(self.save(twice), *heads, "--prefix", "teacher")

    def test_hostile_files(self) -> None:
        whole = self.save(self.state()).read_bytes()
        for name, data in {
            "cut.pth": whole[: len(whole) // 2],
            "text.pth": b"not a checkpoint",
            "empty.pth": b"",
        }.items():
            (self.folder / name).write_bytes(data)
            self.assert_refused(self.folder / name, "not a readable checkpoint")
        (self.folder / "cut.safetensors").write_bytes(b"\xff" * 8)
        self.assert_refused(self.folder / "cut.safetensors", "not a readable checkpoint")

    def test_output_that_cannot_be_written(self) -> None:
        source = self.save(self.state())
        self.output = self.folder / "nowhere" / "out.safetensors"
        self.assert_refused(source, "cannot write", "--num-heads", "4")


class PsaTest(ConverterTest):
    converter = convert_yolo_psa

    def block(self, eps: float) -> PSABlock:
        block = PSABlock(64, attn_ratio=0.5, num_heads=1).eval()
        for module in block.modules():
            if isinstance(module, torch.nn.BatchNorm2d):
                module.eps = eps
                torch.nn.init.uniform_(module.weight, 0.5, 1.5)
                torch.nn.init.normal_(module.bias)
                torch.nn.init.normal_(module.running_mean)
                torch.nn.init.uniform_(module.running_var, 0.5, 2.0)
        return block

    def save(self, value: object) -> Path:
        path = self.folder / "yolo.pt"
        torch.save(value, path)
        return path

    def evaluate(self, params: dict[str, torch.Tensor], x: torch.Tensor) -> torch.Tensor:
        """docs/spec.md, section 4, for one head, in double precision."""
        params = {name: value.double() for name, value in params.items()}
        conv = lambda name, x, **options: F.conv2d(x, params[f"{name}.w"], params[f"{name}.b"], **options)
        q, k, v = conv("qkv", x).flatten(2).split([32, 32, 64], 1)
        mixed = (torch.softmax(q.transpose(1, 2) @ k / 32**0.5, -1) @ v.transpose(1, 2)).transpose(1, 2)
        x = x + conv("proj", mixed.reshape(x.shape) + conv("pe", v.reshape(x.shape), padding=1, groups=64))
        return x + conv("ffn2", F.silu(conv("ffn1", x)))

    def assert_equivalent(self, block: PSABlock, params: dict[str, torch.Tensor]) -> None:
        x = torch.randn(2, 64, 5, 7, dtype=torch.float64)
        with torch.no_grad():
            expected = block.double()(x)
        error = (self.evaluate(params, x) - expected).abs().max() / expected.abs().max()
        self.assertLess(error, 1e-6)

    def test_state_dict_folds_batch_norms(self) -> None:
        block = self.block(eps=1e-3)
        state = {f"model.10.m.0.{name}": value for name, value in block.state_dict().items()}
        self.assert_equivalent(block, self.converted(self.save(state)))
        self.assertIn("builtin:psa-block?c=64&heads=1", self.message)

    def test_given_eps(self) -> None:
        block = self.block(eps=0.25)
        self.assert_equivalent(block, self.converted(self.save(block.state_dict()), "--bn-eps", "0.25"))

    def test_model_brings_its_eps_and_wins_over_the_state(self) -> None:
        block = self.block(eps=0.25)
        source = self.save({"model": self.block(eps=1e-3), "ema": torch.nn.ModuleList([block])})
        self.assert_refused(source, "--trust-pickle")
        self.assert_equivalent(block, self.converted(source, "--trust-pickle"))

    def test_folded_already(self) -> None:
        from ultralytics.utils.torch_utils import fuse_conv_and_bn

        block = self.block(eps=1e-3)
        attention = block.attn
        for module in (attention.qkv, attention.proj, attention.pe, block.ffn[0], block.ffn[1]):
            module.conv = fuse_conv_and_bn(module.conv, module.bn)
            del module.bn
            module.forward = module.forward_fuse
        self.assert_equivalent(block, self.converted(self.save(block.state_dict())))

    def test_refusals(self) -> None:
        state = self.block(eps=1e-3).state_dict()
        missing = {name: value for name, value in state.items() if name != "attn.pe.bn.running_var"}
        bare = {name: value for name, value in state.items() if not name.startswith("ffn.0.bn")}
        wide = dict(state, **{"attn.qkv.conv.weight": torch.zeros(192, 64, 1, 1)})
        two = {f"{prefix}.{name}": value for prefix in ("a", "b") for name, value in state.items()}
        self.assert_refused(self.save(missing), "'attn.pe.bn.running_var': missing")
        self.assert_refused(self.save(bare), "'ffn.0': expected a batch norm or a bias, found neither")
        self.assert_refused(self.save(wide), "expected shape [128, 64, 1, 1], found [192, 64, 1, 1]")
        self.assert_refused(self.save(two), "found 2 PSA blocks; choose one with --prefix: 'a.', 'b.'")
        self.assert_refused(self.save([1, 2]), "expected a state dict, found list")
        narrow = PSABlock(64, attn_ratio=0.25, num_heads=1)
        self.assert_refused(self.save(narrow), "expected shape", "--trust-pickle")
        without = PSABlock(64, attn_ratio=0.5, num_heads=1, shortcut=False)
        self.assert_refused(self.save(without), "expected a block with shortcuts", "--trust-pickle")


if __name__ == "__main__":
    unittest.main(argv=[argument for argument in sys.argv if argument != "--skip"])
