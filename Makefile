# make demo   build, make tables with known needles, fit them, print truth and result side by side
# make test   everything that must hold: format, lints, tests, documentation, comparison with other solvers
# make clean  remove what was built

CARGO  ?= cargo
PYTHON ?= python3
BUILT  := $(abspath $(or $(CARGO_TARGET_DIR),target))
PROGRAM := $(BUILT)/release/needlenet
DEMO   := $(BUILT)/demo
VENV   := $(BUILT)/venv

.PHONY: all build demo test format lint unit docs compare clean

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

test: format lint unit docs compare
	@echo "== all passed"

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
	NEEDLENET=$(BUILT)/debug/needlenet $(VENV)/bin/python -m pytest -q -p no:cacheprovider tests/compare

$(VENV)/ready: tests/compare/requirements.txt
	@echo "== virtual environment for the comparison"
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

clean:
	$(CARGO) clean
