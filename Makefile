# Every target makes .venv by itself; needed beforehand: Python 3.10 or newer with venv, and make.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
N ?= 20000
START ?= 0
DRAWS ?= 5000
SETTINGS ?= 3000
JOBS ?= 2
COMPAT ?= 1.20.1 1.31.1
WEB := 1.30.0
CHAINERCV := chainercv-0.13.1

BIN := .venv/bin
READY := .venv/ready

# Test processes that each start a thread a core only get in one another's way.
test slow cv2: export OPENBLAS_NUM_THREADS ?= 1

.PHONY: all test slow lint docs tables site demo bench browser compat faults cv2 detectors packages reductions reports comparison zoo standins fuzz fuzz-aliases fuzz-canonicalizer fuzz-containers fuzz-gradients fuzz-mutations fuzz-readers fuzz-recursion fuzz-results interrupted metamorphic real-code soak-arenas soak-failures soak-indexing soak-names soak-numpy soak-operators soak-settings soak-sharing soak-sizes soak-special matrix runtimes tools web wheel-test gpu scaling fresh clean

all: lint test

$(READY): pyproject.toml setup.py constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
		{ echo 'make: $(PYTHON) is older than Python 3.10; name another one with PYTHON=...'; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
		{ echo 'make: this Python cannot make environments; on Debian: apt-get install python3-venv'; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	PIP_CONSTRAINT=$(CURDIR)/constraints.txt PIP_BUILD_CONSTRAINT=$(CURDIR)/constraints.txt \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check setuptools wheel --editable '.[cpu,test]'
	touch $@

APART = not browser and not detectors and not packages and not wheel
test: $(READY)
	$(BIN)/pytest -n $(JOBS) --dist worksteal -m "$(APART) and not slow"

# The tests that take seconds each, of large models and long programs (tests/slow.txt).
slow: $(READY)
	$(BIN)/pytest -n $(JOBS) --dist worksteal -m "$(APART) and slow"

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

demo: $(READY)
	$(BIN)/python -W ignore -m benchmarks.demo

bench: $(READY)
	$(BIN)/python -W ignore -m benchmarks.compile
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m benchmarks.control_flow
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m benchmarks.targets
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m benchmarks.training

# Pages in headless Chromium; on Debian: apt-get install chromium.
browser: $(READY) build/web/node_modules
	$(BIN)/pytest -m browser tests/page

# Reports of four models in build/reports, opened in Chromium, and the lines of faults by `trace`.
reports: .venv/chainercv
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m benchmarks.reports

.venv/chainercv: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
		'pillow>=10,<14' 'opencv-python-headless==4.11.0.86'
	$(BIN)/python -m tests.models.install_chainercv
	touch $@

# The networks of chainercv, which no other target installs but `reports`; writes docs/detectors.md.
detectors: .venv/chainercv
	$(BIN)/pytest tests/models/test_detectors.py
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m benchmarks.detectors

# Networks of chainer-chemistry and chainerrl, ESPnet's speech recognition and the grouping of
# chainer-openpose, functions of chainer-mask-rcnn and chainer_addons: installed here and nowhere else.
# Writes docs/packages.md.
packages: $(READY)
	PIP_CONSTRAINT=$(CURDIR)/constraints.txt $(BIN)/python -m pip install --quiet \
		--disable-pip-version-check pandas==2.2.3 rdkit==2026.9.1 tqdm joblib cached_property==2.0.1
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation \
		chainer-chemistry==0.7.1 chainerrl==0.8.0 gym==0.17.3 \
		chainer-openpose==0.0.1 espnet==0.9.10 editdistance==0.8.1 \
		chainer-mask-rcnn==0.5.24 chainer_addons==0.10.0
	$(BIN)/pytest tests/models/test_packages.py tests/models/test_authors_code.py \
		tests/models/test_authors_functions.py
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m benchmarks.packages

# Exports all models of models/zoo.py, compares them, and writes docs/models.md; then each from the
# command line, which writes the same file.
zoo: $(READY)
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m benchmarks.zoo
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m benchmarks.commands

# Exports and compares the networks of chainercv2, and writes docs/networks.md.
cv2: $(READY)
	$(BIN)/python -W ignore -m benchmarks.networks

# The oldest onnxruntime that is right on all we emit, and the one that we develop with.
compat: $(READY)
	$(BIN)/python -W ignore -m benchmarks.write_cases build/compat
	for version in $(COMPAT); do \
		test -x .venv-$$version/bin/python || $(PYTHON) -m venv .venv-$$version || exit 1; \
		.venv-$$version/bin/python -m pip install --quiet --disable-pip-version-check \
			onnxruntime==$$version 'numpy<2' || exit 1; \
		.venv-$$version/bin/python benchmarks/run_cases.py build/compat || exit 1; \
	done

# The models and the control-flow table in OpenVINO, onnx's own evaluator and, where Node is there,
# onnxruntime-web; writes docs/runtimes.md.
runtimes: $(READY) build/web/node_modules
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m benchmarks.runtimes

# The same in onnxruntime-web alone.
web: $(READY) build/web/node_modules
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m benchmarks.runtimes web

build/web/node_modules:
	mkdir -p build/web
	-cd build/web && npm install --no-audit --no-fund --no-save --prefix . onnxruntime-web@$(WEB)

# Quantizers, converters to half precision, simplifiers, other runtimes and Netron on six models,
# compared with Chainer; writes the table of docs/deploying.md. They are installed in an environment
# of their own; onnxruntime-web and Netron run under Node.
tools: $(READY) build/web/node_modules
	test -x .venv-tools/bin/python || $(PYTHON) -m venv .venv-tools
	.venv-tools/bin/python -m pip install --quiet --disable-pip-version-check 'numpy<2' \
		onnx==1.23.2 onnxruntime==1.31.1 onnxconverter-common==1.16.0 onnxscript==0.7.2 \
		onnxsim==0.8.1 onnxslim==0.1.98 sympy==1.14.0 netron==9.3.3 openvino==2026.4.1 torch==2.13.0
	.venv-tools/bin/python -m pip install --quiet --disable-pip-version-check --no-deps onnx2torch==1.5.15
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m benchmarks.tools .venv-tools/bin/python

# Models and programs on onnxruntime's CUDA provider (pip install '.[gpu]'), compared with Chainer.
gpu: $(READY)
	$(BIN)/python -W ignore -m benchmarks.gpu

# A dataset scored in pieces by Dask and by Ray Data, installed in an environment of their own.
scaling: $(READY)
	test -x .venv-scaling/bin/python || $(PYTHON) -m venv .venv-scaling
	PIP_CONSTRAINT=$(CURDIR)/constraints.txt PIP_BUILD_CONSTRAINT=$(CURDIR)/constraints.txt \
		.venv-scaling/bin/python -m pip install --quiet --disable-pip-version-check \
		setuptools wheel --editable '.[cpu]' 'dask[array,distributed]==2026.8.0' \
		'ray[data]==2.60.0' 'pyarrow<20'
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 .venv-scaling/bin/python -W ignore -m benchmarks.scaling

# The core tests in each Python and set of versions found here; writes docs/tested.md.
matrix: $(READY)
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m benchmarks.matrix --jobs $(JOBS)

# README's commands in a fresh environment of each Python found here, from a clone and from a wheel.
fresh: $(READY)
	$(BIN)/python -W ignore -m benchmarks.fresh

# Wheel and sdist; the wheel goes into an environment that has Chainer, and changes nothing there.
wheel-test: $(READY)
	$(BIN)/pytest -m wheel tests/test_wheel.py

docs: tables site

# What a test compares with: run after a change of the tables or of an error's text.
tables: $(READY)
	$(BIN)/python -W ignore -m tests.language.document
	$(BIN)/python -W ignore -m tests.language.mistakes
	$(BIN)/python -W ignore -m tests.language.messages
	$(BIN)/python -W ignore -m tests.lowerings.document
	$(BIN)/python -W ignore -m tests.canonicalizer.document

# The documentation as a site, in build/site; a warning is an error.
site: $(READY)
	PIP_CONSTRAINT=$(CURDIR)/constraints.txt \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

# Random settings of pooling, convolution and resizing, on static and dynamic sizes.
soak-operators: $(READY)
	$(BIN)/python -W ignore -m tests.lowerings.chainer.soak_operators $(SETTINGS)

# Writes through the results of every call of the operator table: does an input see them?
soak-sharing: $(READY)
	$(BIN)/python -W ignore -m tests.lowerings.chainer.soak_sharing

# Every parity case at sizes that Chainer may refuse: where it fails, the model must not answer.
soak-sizes: $(READY)
	$(BIN)/python -W ignore -m tests.lowerings.chainer.soak_sizes

# Calls of the operator table with a constant as an input: what Chainer refuses, a model must too.
soak-settings: $(READY)
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m tests.lowerings.chainer.soak_settings

# Every table of operators on sizes 0 and 1 and on zeros of both signs, nan and infinities.
soak-special: $(READY)
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m tests.special.soak

# Every table of operators where eager raises: the model fails as well, whoever reads the result.
soak-failures: $(READY)
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m tests.special.lost $(ONLY)

# How many parity cases notice a compiler that bakes a result or freezes a path.
standins: $(READY)
	$(BIN)/python -W ignore -m tests.standin_rates -v

# How many faults, put into compiled graphs one at a time, the default verification finds.
faults: N = 200
faults: $(READY)
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m tests.verify.seeded_faults $(N) --jobs $(JOBS)

# Forty small programs in PyTorch and TensorFlow too, where these install; writes docs/comparison.md.
comparison: $(READY)
	test -x .venv-torch/bin/python || $(PYTHON) -m venv .venv-torch
	test -x .venv-tensorflow/bin/python || $(PYTHON) -m venv .venv-tensorflow
	.venv-torch/bin/python -m pip install --quiet --disable-pip-version-check torch onnxscript
	.venv-tensorflow/bin/python -m pip install --quiet --disable-pip-version-check \
		tensorflow-cpu tf2onnx 'setuptools<81'
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m benchmarks.comparison \
		--torch .venv-torch/bin/python --tensorflow .venv-tensorflow/bin/python

# Faults put into programs, one at a time: the lines that `elichika reduce` leaves of each.
reductions: N = 50
reductions: $(READY)
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m tests.reduction.seeded $(N)

soak-indexing: $(READY)
	$(BIN)/python -W ignore -m tests.lowerings.numpy.soak_indexing $(DRAWS)

soak-numpy: $(READY)
	$(BIN)/python -W ignore -m tests.lowerings.numpy.soak_functions $(DRAWS)

# Calls of every staged function of numpy, their arguments drawn by hypothesis.
soak-names: $(READY)
	$(BIN)/python -W ignore -m tests.lowerings.numpy.soak_names $(DRAWS)

# Random programs that change the objects of lists under several names.
soak-arenas: N = 500
soak-arenas: $(READY)
	$(BIN)/python -W ignore -m tests.walker.containers.soak_arenas $(N)

# Random models of three levels, compiled once and run on six inputs each.
fuzz: $(READY)
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m tests.walker.fuzz $(N) --jobs $(JOBS)

# Random programs in which arrays, lists, objects and iterators have several names.
fuzz-aliases: N = 2000
fuzz-aliases: $(READY)
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m tests.state.fuzz $(N) --jobs $(JOBS) --start $(START)

# Random programs that differentiate through branches and loops, on eight inputs each.
fuzz-gradients: N = 2000
fuzz-gradients: $(READY)
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m tests.training.fuzz $(N) --start $(START)

# The programs of the tests with their constants as inputs.
metamorphic: $(READY)
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m tests.metamorphic --jobs $(JOBS)

# The programs of the tests with statements and expressions changed at random.
fuzz-mutations: N = 2000
fuzz-mutations: $(READY)
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m tests.mutations $(N) --jobs $(JOBS) --start $(START)

# Random nested results, compiled once and run on five inputs each.
fuzz-results: N = 1000
fuzz-results: $(READY)
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m tests.signature.random_results $(N)

# Damaged and hostile files for all commands that read files.
fuzz-readers: N = 5000
fuzz-readers: $(READY)
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m tests.cli.fuzz_readers $(N)

# kill -9 and Ctrl-C at random moments of an export.
interrupted: N = 50
interrupted: $(READY)
	$(BIN)/python -W ignore -m tests.cli.interrupted $(N)

# Random recursive programs beside the loops over frames that they become.
fuzz-recursion: N = 2000
fuzz-recursion: $(READY)
	$(BIN)/python -m tests.canonicalizer.fuzz_recursion $(N) $(START)
	$(BIN)/python -W ignore -m tests.walker.fuzz_recursion $(N) $(START)

# Random programs with dicts, sets and exceptions whose keys and arguments are of the run.
fuzz-containers: N = 5000
fuzz-containers: $(READY)
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m tests.walker.fuzz_containers $(N) $(START)

fuzz-canonicalizer: $(READY)
	$(BIN)/python -m tests.canonicalizer.fuzz $(N)

# How many functions of Chainer, ChainerCV and chainercv2 are canonical, and which are refused.
real-code: $(READY) build/$(CHAINERCV)/chainercv
	$(BIN)/python -W ignore -m tests.canonicalizer.real_code build/$(CHAINERCV)/chainercv

build/$(CHAINERCV)/chainercv: | $(READY)
	PIP_CONSTRAINT=$(CURDIR)/constraints.txt PIP_BUILD_CONSTRAINT=$(CURDIR)/constraints.txt \
		$(BIN)/python -m pip download --quiet --disable-pip-version-check --no-deps \
		--dest build $(subst chainercv-,chainercv==,$(CHAINERCV))
	tar -xzf build/$(CHAINERCV).tar.gz -C build

clean:
	rm -rf build .venv .venv-*
