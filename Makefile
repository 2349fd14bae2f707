# make demo   build, make tables with known needles, fit them, print truth and result side by side
# make test   everything that must hold: format, lints, tests, documentation, comparison with other solvers, Python
# make trust  what takes long: every row of the table of promises on more tables, files changed at random, signals; its output
#             in docs/results/trust. Other processors need an emulator (Debian: apt-get install qemu-user-static), without which
#             make test says that they were not tried, and make trust fails
# make bench  the speed table, in docs/results/bench; DATA=folder adds golub, khan and riboflavin (.csv.gz)
#             QUICK=1 times the short works only, and marks what lost a third of its speed since the table was committed
# make store  store the results of the stored problems again, after a change that is meant to move them
# make fuzz   coverage-guided fuzzing of every reader and of the model file, SECONDS (60) each; needs cargo-fuzz
# make browser  the page of a fit in Chromium (Debian: apt-get install chromium); SCREENSHOTS=folder keeps pictures
# make site   the documentation as a static site, in target/site; every link is checked
# make clean  remove what was built

CARGO  ?= cargo
PYTHON ?= python3
BUILT  := $(abspath $(or $(CARGO_TARGET_DIR),target))
PROGRAM := $(BUILT)/release/needlenet
DEMO   := $(BUILT)/demo
VENV   := $(BUILT)/venv
# the Python package, with the newest scikit-learn and with the oldest that is supported
VENV_NEW := $(BUILT)/venv-python
VENV_OLD := $(BUILT)/venv-python-sklearn-1.6
WHEELS := $(BUILT)/wheels
VENV_BENCH := $(BUILT)/venv-bench
VENV_BROWSER := $(BUILT)/venv-browser
VENV_SITE := $(BUILT)/venv-site
SITE   := $(BUILT)/site

.PHONY: all build demo test trust fuzz store format lint unit docs compare python wheel bench browser site clean

all: build

build:
	@echo "== build the program"
	$(CARGO) build --release --locked --package needlenet-cli

demo: build
	@mkdir -p $(DEMO)
	@echo
	@echo "== 1. nonlinear: y is a sum of 10 |x_a - x_b| over two pairs of inputs, among 50 inputs"
	$(PROGRAM) lab make nonlinear --s 4 --seed 1 --out $(DEMO)/nonlinear.csv
	$(PROGRAM) fit $(DEMO)/nonlinear.csv --target target --out $(DEMO)/nonlinear.model
	@echo
	@echo "-- truth and result"
	@$(PROGRAM) lab compare $(DEMO)/nonlinear.truth.json $(DEMO)/nonlinear.model
	@echo
	@echo "== 2. linear: more inputs (200) than samples (100)"
	$(PROGRAM) lab make linear --s 4 --seed 1 --out $(DEMO)/linear.csv
	$(PROGRAM) fit $(DEMO)/linear.csv --target target --hidden none --out $(DEMO)/linear.model
	@echo
	@echo "-- truth and result"
	@$(PROGRAM) lab compare $(DEMO)/linear.truth.json $(DEMO)/linear.model

test: format lint unit docs compare python
	@echo "== all passed"

trust:
	@echo "== every row of the table of promises"
	@mkdir -p docs/results/trust
	PROMISES=all $(CARGO) test --locked --package needlenet --test promises -- --nocapture > docs/results/trust/promises.txt
	@tail -n 3 docs/results/trust/promises.txt
	@echo "== the level, 2,000 null tables for each combination; a run that was stopped goes on where it ended"
	@mkdir -p docs/results/level
	$(CARGO) build --locked --package needlenet-lab --example level
	$(BUILT)/debug/examples/level out=docs/results/level $(if $(MINUTES),minutes=$(MINUTES)) > $(BUILT)/level.md
	mv $(BUILT)/level.md docs/results/level/table.md
	@echo "== files changed at random, ten minutes for tables and ten for models"
	TRUST=all $(CARGO) test --locked --package needlenet-io --test mutations -- --nocapture > docs/results/trust/mutations.txt
	@echo "== signals, full disks, files that change"
	TRUST=all $(CARGO) test --locked --package needlenet-cli --test cli faults -- --nocapture > docs/results/trust/faults.txt
	@echo "== threads and processors"
	TRUST=all $(CARGO) test --locked --package needlenet-cli --test cli machines -- --nocapture > docs/results/trust/machines.txt

# cargo install cargo-fuzz; a variable makes the stable compiler accept the flags that cargo-fuzz gives it. What is found is in
# fuzz/artifacts. The corpus is kept in target/; its smallest part that reaches as much is stored for `make test`.
FUZZ := RUSTC_BOOTSTRAP=1 $(CARGO) fuzz
TARGETS := text npy archive arrow parquet xlsx ods matrix_market gzip model
SECONDS ?= 60
fuzz:
	$(PYTHON) fuzz/corpus.py seed $(BUILT)/fuzz-corpus
	$(FUZZ) build --fuzz-dir fuzz --target-dir $(BUILT)/fuzz
	$(PYTHON) fuzz/corpus.py run $(BUILT)/fuzz-corpus $(BUILT)/fuzz $(SECONDS) $(TARGETS) > $(BUILT)/fuzz.md
	@cat $(BUILT)/fuzz.md

# the results of crates/needlenet/tests/stored: after a change that is meant to move them, look at the difference, and commit it
store:
	STORE=1 $(CARGO) test --locked --workspace --test stored_problems --test stored_models
	git diff --stat crates/needlenet/tests/stored crates/needlenet-io/tests/models

format:
	@echo "== format"
	$(CARGO) fmt --all --check

lint:
	@echo "== clippy, warnings are errors"
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings

# cargo test also runs the examples in the documentation, and builds the program (optimised) for the comparison
unit:
	@echo "== unit, property, integration and doc tests"
	$(CARGO) test --workspace --locked

docs:
	@echo "== documentation, warnings are errors"
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --locked

compare: unit $(VENV)/ready
	@echo "== comparison with independent solvers"
	NEEDLENET=$(BUILT)/debug/needlenet $(VENV)/bin/python -m pytest -q --import-mode=prepend -p no:cacheprovider tests/compare

$(VENV)/ready: tests/compare/requirements.txt
	@echo "== virtual environment for the comparison"
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

# pip builds the wheel as it does for a user: with Rust, and what pyproject.toml asks for
wheel: $(VENV_NEW)/ready $(VENV_OLD)/ready
	@echo "== the wheel of the Python package"
	rm -rf $(WHEELS)
	$(VENV_NEW)/bin/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir $(WHEELS) .
	@ls -l $(WHEELS)
	for venv in $(VENV_NEW) $(VENV_OLD); do $$venv/bin/python -m pip install --quiet --disable-pip-version-check \
		--no-deps --force-reinstall $(WHEELS)/*.whl || exit 1; done

# the program is that of the unit tests: model files are compared both ways
python: unit wheel
	@echo "== Python: format, lints, types, stubs, doctests, tests"
	$(VENV_NEW)/bin/python -m ruff format --no-cache --check python
	$(VENV_NEW)/bin/python -m ruff check --no-cache python
	$(VENV_NEW)/bin/python -m mypy --no-incremental --cache-dir=/dev/null python/needlenet
	$(VENV_NEW)/bin/python -m mypy.stubtest needlenet._needlenet
	$(VENV_NEW)/bin/python -m pytest -q --doctest-modules --pyargs needlenet
	NEEDLENET=$(BUILT)/debug/needlenet SCIPY_ARRAY_API=1 $(VENV_NEW)/bin/python -m pytest -q python/tests
	@echo "== Python: the checks of scikit-learn 1.6"
	$(VENV_OLD)/bin/python -m pytest -q python/tests/test_estimator_checks.py python/tests/test_tables.py

$(VENV_NEW)/ready: python/tests/requirements.txt
	@echo "== virtual environment for the Python package"
	$(PYTHON) -m venv $(VENV_NEW)
	$(VENV_NEW)/bin/python -m pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

$(VENV_OLD)/ready: python/tests/requirements-sklearn-1.6.txt
	@echo "== virtual environment with scikit-learn 1.6"
	$(PYTHON) -m venv $(VENV_OLD)
	$(VENV_OLD)/bin/python -m pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

# its yardsticks come from PyPI; torch, for LassoNet, is some gigabytes
bench: build $(VENV_BENCH)/ready
	@echo "== speed, against yardsticks in the same run"
	$(CARGO) build --release --locked --package needlenet --features internals --example inner_loops
	$(VENV_BENCH)/bin/python bench/bench.py --built $(BUILT) $(if $(QUICK),--quick,--out) docs/results/bench \
		$(if $(DATA),--data $(DATA))

$(VENV_BENCH)/ready: bench/requirements.txt
	@echo "== virtual environment for the yardsticks"
	$(PYTHON) -m venv $(VENV_BENCH)
	$(VENV_BENCH)/bin/python -m pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

# not part of `make test`: it needs a browser of the system, and Playwright, which drives it, is 130 MB
browser: $(VENV_BROWSER)/ready
	@echo "== the page of a fit in a browser"
	$(CARGO) build --locked --workspace --bin needlenet
	NEEDLENET=$(BUILT)/debug/needlenet $(VENV_BROWSER)/bin/python -m pytest -q --import-mode=prepend -p no:cacheprovider tests/browser

$(VENV_BROWSER)/ready: tests/browser/requirements.txt
	@echo "== virtual environment for the browser"
	$(PYTHON) -m venv $(VENV_BROWSER)
	$(VENV_BROWSER)/bin/python -m pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

# --strict: a link inside docs/ that leads nowhere is an error; check_links.py looks at the built pages and at README.md
site: docs $(VENV_SITE)/ready
	@echo "== the site"
	NO_MKDOCS_2_WARNING=1 $(VENV_SITE)/bin/python -m mkdocs build --strict --clean --site-dir $(SITE)
	cp -r $(BUILT)/doc $(SITE)/rust
	$(VENV_SITE)/bin/python tests/site/check_links.py $(SITE)
	@echo "look at it: $(PYTHON) -m http.server --directory $(SITE)"

$(VENV_SITE)/ready: tests/site/requirements.txt
	@echo "== virtual environment for the site"
	$(PYTHON) -m venv $(VENV_SITE)
	$(VENV_SITE)/bin/python -m pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

clean:
	$(CARGO) clean
