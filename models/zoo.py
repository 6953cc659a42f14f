"""Whole models, with the loops that use them: what `make zoo` exports and compares.

Each entry has at least four sets of sizes besides the example's. Those of decoders are chosen such
that some sentences end early, some late and some not at all; `tests/models/test_zoo.py` holds that.
"""

from __future__ import annotations

from models import Model

__all__ = ["ZOO"]

TRANSLATIONS = (
    {"lengths": (4, 2, 7), "max_length": 20},
    {"lengths": (3,), "max_length": 1},
    {"lengths": (2, 5, 1, 4, 9), "max_length": 30, "seed": 5},
    {"lengths": (1, 1), "max_length": 30, "seed": 7},
    {"lengths": (6,), "max_length": 30, "seed": 8},
)
BLOCKS = (
    {"lengths": (4, 2, 7), "max_length": 10},
    {"lengths": (1,), "max_length": 1},
    {"lengths": (3, 2, 5, 5, 1), "max_length": 40, "seed": 3},
    {"lengths": (12, 2), "max_length": 40, "seed": 4},
    {"lengths": (4,), "max_length": 30, "seed": 5},
)
BLOCK = {"x_block": {0: "batch", 1: "length"}}
UTTERANCES = (
    {"lengths": (17, 9, 24), "max_length": 12},
    {"lengths": (1,), "max_length": 3},
    {"lengths": (8, 30, 5, 4, 13), "max_length": 40, "seed": 3},
    {"lengths": (40,), "max_length": 30, "seed": 4},
    {"lengths": (4, 5), "max_length": 30, "seed": 5},
)
SENTENCES = (
    {"lengths": (3, 7, 1, 4)},
    {"lengths": (1,)},
    {"lengths": (5, 5, 2, 9, 1, 2), "seed": 3},
    {"lengths": (1, 1, 1), "seed": 4},
    {"lengths": (8, 3), "seed": 5},
)
BATCHES = ({"batch": 2}, {"batch": 1}, {"batch": 4, "seed": 2}, {"batch": 7}, {"batch": 3})
QUERIES = (
    {"word": 3, "n_result": 5},
    {"word": 0, "n_result": 1},
    {"word": 7, "n_result": 300},
    {"word": 12, "n_result": 0},
    {"word": 199, "n_result": 10},
)
POINTS = {"x": {0: "points", 1: "features"}}

ZOO = (
    # Its score is a Python float, a sum of float32 logarithms: exact to float32's precision only.
    Model(
        "Word LSTM, sampled",
        "models.word_lm",
        (
            {"words": 4, "length": 10},
            {"words": 1, "length": 0},
            {"words": 2, "length": 30, "seed": 3},
            {"words": 9, "length": 30, "seed": 4},
            {"words": 3, "length": 30, "seed": 5},
        ),
        dynamic_axes={"primer": {0: "words"}},
        loosened=1e5,
    ),
    Model("Seq2seq with attention, greedy", "models.seq2seq", TRANSLATIONS),
    Model(
        "Seq2seq with attention, beam search",
        "models.seq2seq",
        tuple({**sizes, "beam": 3} for sizes in TRANSLATIONS),
        method="translate",
        examples="sentences",
        static=("beam",),
    ),
    # The scores are Python floats, sums of float32 logarithms.
    Model(
        "Seq2seq with attention, n best",
        "models.seq2seq",
        tuple({**sizes, "beam": 4} for sizes in TRANSLATIONS),
        dynamic_axes={"x": {0: "length"}},
        method="beam_search",
        examples="one_sentence",
        static=("beam",),
        loosened=1e5,
    ),
    Model(
        "Transformer",
        "models.transformer",
        (
            {"lengths": (4, 2, 7), "target": 3},
            {"lengths": (1,), "target": 1},
            {"lengths": (3, 2, 5, 5, 1), "target": 9, "seed": 3},
            {"lengths": (12, 2), "target": 4, "seed": 4},
            {"lengths": (1, 2), "target": 1, "seed": 5},
        ),
        dynamic_axes={**BLOCK, "y_block": {0: "batch", 1: "target"}},
    ),
    Model(
        "Transformer, greedy",
        "models.transformer",
        BLOCKS,
        dynamic_axes=BLOCK,
        method="translate",
    ),
    Model(
        "Transformer, greedy and incremental",
        "models.transformer",
        BLOCKS,
        dynamic_axes=BLOCK,
        method="translate_incremental",
    ),
    Model("BiLSTM-CRF tagger, Viterbi", "models.crf_tagger", SENTENCES),
    Model("Convolutional text classifier", "models.text_cnn", SENTENCES),
    Model("Speech recognition, attention", "models.asr", UTTERANCES),
    Model(
        "Speech recognition, CTC",
        "models.asr",
        tuple({**sizes, "max_length": None} for sizes in UTTERANCES),
        method="recognize_ctc",
    ),
    Model(
        "WaveNet, generation",
        "models.wavenet",
        (
            {"batch": 2, "length": 8},
            {"batch": 1, "length": 1},
            {"batch": 3, "length": 30, "seed": 3},
            {"batch": 1, "length": 17, "seed": 4},
            {"batch": 5, "length": 3, "seed": 5},
        ),
        dynamic_axes={"condition": {0: "batch", 2: "length"}},
        method="synthesize",
    ),
    Model(
        "Tree-LSTM over arrays",
        "models.tree_lstm",
        (
            {"leaves": 5},
            {"leaves": 1},
            {"leaves": 2, "seed": 2},
            {"leaves": 12, "seed": 3},
            {"leaves": 9, "seed": 5},
        ),
        dynamic_axes={name: {0: "nodes"} for name in ("words", "left", "right")},
    ),
    Model(
        "Tree-LSTM, recursive",
        "models.tree_lstm",
        (
            {"leaves": 5},
            {"leaves": 1},
            {"leaves": 2, "seed": 2},
            {"leaves": 40, "seed": 3},
            {"leaves": 9, "seed": 5},
        ),
        arguments={"n_units": 128},
        dynamic_axes={name: {0: "nodes"} for name in ("words", "left", "right")},
        factory="build_recursive",
    ),
    Model(
        "Tree-LSTM, recursive over a list",
        "models.tree_lstm",
        (
            {"leaves": (5, 1, 3)},
            {"leaves": (1,)},
            {"leaves": (2, 1), "seed": 2},
            {"leaves": (12, 1, 30, 7), "seed": 3},
            {"leaves": (9,) * 5, "seed": 5},
        ),
        method="label_all",
        factory="build_recursive",
        examples="list_inputs",
    ),
    Model(
        "Tree-LSTM over nested tuples",
        "models.tree_lstm",
        BATCHES,
        dynamic_axes="batch",
        factory="build_nested",
        examples="nested_inputs",
    ),
    Model(
        "Memory network",
        "models.memnn",
        (
            {"batch": 2, "sentences": 5},
            {"batch": 1, "sentences": 1},
            {"batch": 2, "sentences": 12, "words": 3, "seed": 2},
            {"batch": 7, "sentences": 4, "words": 1, "seed": 3},
            {"batch": 3, "seed": 5},
        ),
        dynamic_axes={
            "sentences": {0: "batch", 1: "sentences", 2: "words"},
            "question": {0: "batch"},
        },
    ),
    Model(
        "word2vec, continuous bag of words",
        "models.word2vec",
        (
            {"batch": 3, "context": 4},
            {"batch": 1, "context": 1},
            {"batch": 2, "context": 12, "seed": 2},
            {"batch": 7, "context": 3, "seed": 3},
            {"batch": 4, "context": 2, "seed": 5},
        ),
        dynamic_axes={"contexts": {0: "batch", 1: "context"}},
    ),
    # Each similarity is compared with itself, also those near 0.
    Model(
        "word2vec, nearest words",
        "models.word2vec",
        QUERIES,
        method="search",
        examples="queries",
        loosened=10.0,
    ),
    Model(
        "word2vec, nearest of 20,000 words",
        "models.word2vec",
        (*QUERIES[:2], {"word": 7, "n_result": 40}, {"word": 19_999, "n_result": 10}, QUERIES[4]),
        factory="build_usual",
        method="search",
        examples="queries",
        loosened=10.0,
    ),
    Model(
        "K-means",
        "models.kmeans",
        (
            {"points": 30},
            {"points": 3},
            {"points": 100, "features": 3, "seed": 2},
            {"points": 9, "features": 1, "seed": 3},
            {"points": 50, "seed": 4},
        ),
        dynamic_axes=POINTS,
        usual={"points": 10_000, "features": 8},
    ),
    Model(
        "Principal components",
        "models.kmeans",
        (
            {"points": 30},
            {"points": 3, "features": 2},
            {"points": 100, "features": 6, "seed": 2},
            {"points": 9, "features": 3, "seed": 3},
            {"points": 50, "seed": 4},
        ),
        dynamic_axes=POINTS,
        factory="build_pca",
        examples="samples",
        usual={"points": 20_000, "features": 64},
    ),
    Model(
        "L-BFGS",
        "models.lbfgs",
        (
            {"points": 20},
            {"points": 1, "features": 1},
            {"points": 100, "features": 6, "seed": 2},
            {"points": 9, "features": 2, "scale": 5.0, "seed": 3},
            {"points": 50, "scale": 0.1, "seed": 4},
        ),
        dynamic_axes={**POINTS, "t": {0: "points"}},
        usual={"points": 20_000, "features": 50},
    ),
    Model(
        "MAML, inner updates",
        "models.maml",
        (
            {"n_steps": 3},
            {"n_steps": 0},
            {"support": 1, "query": 1, "n_steps": 2, "seed": 2},
            {"support": 20, "query": 3, "n_steps": 1, "seed": 3},
            {"support": 10, "query": 30, "n_steps": 8, "seed": 4},
        ),
        dynamic_axes={
            "support_x": {0: "support"},
            "support_t": {0: "support"},
            "query_x": {0: "query"},
        },
    ),
    Model(
        "MAML, a step of learning",
        "models.maml",
        (
            {},
            {"support": 1, "query": 1, "seed": 2},
            {"support": 20, "query": 3, "seed": 3},
            {"support": 10, "query": 30, "seed": 4},
            {"support": 2, "query": 5, "seed": 5},
        ),
        dynamic_axes={
            "support_x": {0: "support"},
            "support_t": {0: "support"},
            "query_x": {0: "query"},
            "query_t": {0: "query"},
        },
        method="learn",
        examples="tasks",
    ),
    Model(
        "Adversarial images",
        "models.adversarial",
        (
            {},
            {"batch": 1, "n_steps": 1, "seed": 2},
            {"batch": 3, "n_steps": 0, "seed": 3},
            {"batch": 7, "epsilon": 0.3, "n_steps": 8, "seed": 4},
            {"batch": 2, "epsilon": 0.01, "n_steps": 2, "seed": 5},
        ),
        dynamic_axes="batch",
    ),
    Model("Critic with a penalty on gradients", "models.critic", BATCHES, dynamic_axes="batch"),
    Model("DCGAN, generator", "models.dcgan", BATCHES, dynamic_axes="batch", examples="noise"),
    # Samples within 1e-7 of a step between two colours are rounded to one side or the other.
    Model(
        "DCGAN, picture of samples",
        "models.dcgan",
        BATCHES,
        dynamic_axes="batch",
        method="preview",
        examples="noise",
        flips=1e-3,
    ),
    Model(
        "DCGAN, discriminator",
        "models.dcgan",
        BATCHES,
        dynamic_axes="batch",
        factory="build_discriminator",
    ),
    Model("Variational auto-encoder", "models.vae", BATCHES, dynamic_axes="batch"),
    Model(
        "pix2pix, U-Net",
        "models.pix2pix",
        (
            {"batch": 2},
            {"batch": 1, "height": 64, "width": 48, "seed": 2},
            {"batch": 3, "height": 16, "width": 72, "seed": 3},
            {"batch": 1, "height": 8, "width": 8, "seed": 4},
            {"batch": 5, "seed": 5},
        ),
        dynamic_axes={"labels": {0: "batch", 1: "height", 2: "width"}},
        method="convert",
        flips=1e-3,
    ),
)
