# SPDX-License-Identifier: BSD-3-Clause
# The recipes for other collections of packages: they are of this version, and those that can be
# tried here build what they say from an archive of the tree.
. "$(dirname "$0")/../build/shell.sh"
unset CFLAGS LDFLAGS CC
recipes=packaging/recipes
version=$(sed -n 's/^#define FROCC_VERSION_[A-Z]* \([0-9]*\)$/\1/p' include/frocc.h | paste -sd.)
archive=$scratch/frocc-$version.source.tar.xz
tools=build/recipe-tools wanted="conan==2.34.0 PyYAML==6.0.3 py-rattler-build==0.73.0"

same_version() {
    local file
    for file in conda-forge/recipe.yaml vcpkg/vcpkg.json conan/conanfile.py conan/conandata.yml; do
        grep -q "\"$version\"" "$recipes/$file" &&
            ! grep -oE '[0-9]+\.[0-9]+\.[0-9]+' "$recipes/$file" | grep -vxe "$version" -e 1.2.11 || { echo "$file" && return 1; }
    done
}

same_needs() { # what pip asks for when it runs, and to build
    local need
    sed -n 's/^\(dependencies\|requires\|requires-python\) = //p' pyproject.toml | tr -d '[]", ' |
        grep -oE '[a-z-]*>=[0-9.]+' | sed 's/^>=/python>=/' >"$scratch/needs"
    [ "$(wc -l <"$scratch/needs")" -ge 3 ] || return
    while read -r need; do
        grep -qF -- "- ${need/>=/ >=}" $recipes/conda-forge/recipe.yaml || { echo "$need" && return 1; }
    done <"$scratch/needs"
}

# What depends on where a release lies is named in capitals, and docs/releasing.md has each name.
placeholders() {
    local name
    grep -rhoE '\b(SOURCE|PROJECT|REPOSITORY)_(ADDRESS|SHA[0-9]+)|\b(BASE_BUILDER|MAINTAINER|CONTACT)\b' $recipes |
        sort -u | while read -r name; do
        grep -q "\`$name\`" docs/releasing.md || echo "$name"
    done >"$scratch/unsaid"
    ! grep . "$scratch/unsaid" && ! grep -rnE 'https?://' $recipes
}

parses() {
    python3 -m json.tool $recipes/vcpkg/vcpkg.json &&
        bash -n $recipes/oss-fuzz/build.sh &&
        $tools/bin/python - $recipes/*/*.y*ml <<'END'
import sys, yaml
for name in sys.argv[1:]:
    assert isinstance(yaml.safe_load(open(name)), dict), name
END
}

# By pip, in an environment of their own.
get_tools() {
    [ "$(cat $tools/complete 2>/dev/null)" != "$wanted" ] || return 0
    rm -rf $tools
    python3 -m venv $tools && $tools/bin/python -m pip install -q $wanted && echo "$wanted" >$tools/complete
}

# By the tool that builds what conda-forge has, which knows every field and function of a recipe.
conda_renders() {
    sed "s,SOURCE_ADDRESS\|PROJECT_ADDRESS,file://$scratch,; s,SOURCE_SHA256,$(printf %064d 0)," \
        $recipes/conda-forge/recipe.yaml >"$scratch/recipe.yaml" &&
        $tools/bin/python - "$scratch/recipe.yaml" "$version" <<'END'
import sys
from rattler_build import RattlerBuildError, Stage0Recipe, VariantConfig

text = open(sys.argv[1]).read()
variants = VariantConfig({"c_compiler": ["gcc"], "c_stdlib": ["sysroot"], "python": ["3.12.*"]})
variant, = Stage0Recipe.from_yaml(text).render(variants)
package = variant.recipe.to_dict()
assert package["package"] == {"name": "frocc", "version": sys.argv[2]}, package
assert any(name.startswith("gcc_") for name in package["requirements"]["build"]), package
try:
    Stage0Recipe.from_yaml(text.replace("requirements:", "needs:"))
except RattlerBuildError:
    sys.exit()
sys.exit("a field that conda does not know is not seen")
END
}

conan() {
    CONAN_HOME=$scratch/conan "$root/$tools/bin/conan" "$@"
}

# From the archive; the collection's zlib is not at hand here.
conan_creates() { # conan_creates OPTION...
    conan create "$scratch/recipe" -o zlib=False -c tools.cmake.cmaketoolchain:generator="Unix Makefiles" "$@"
}

prepare_conan() {
    tar -cJf "$archive" --transform "s,^\.,frocc-$version," --exclude=./build --exclude=./dist \
        --exclude=./.git ./CMakeLists.txt ./LICENSE ./cmake ./include ./src ./cli ./docs/frocc.1 &&
        cp -r $recipes/conan "$scratch/recipe" &&
        sed -i "s,SOURCE_ADDRESS,file://$scratch,; s,SOURCE_SHA256,$(sha256sum <"$archive" | cut -d' ' -f1)," \
            "$scratch/recipe/conandata.yml" &&
        conan profile detect
}

# As the machines of OSS-Fuzz run it, with the flags of scripts/fuzz.
fuzz_builds() {
    local flags target
    flags=$(sed -n 's/^flags="\(.*\)"$/\1/p' scripts/fuzz)
    mkdir -p "$scratch/src" "$scratch/work" "$scratch/out" && ln -s "$root" "$scratch/src/frocc" &&
        SRC=$scratch/src WORK=$scratch/work OUT=$scratch/out LIB_FUZZING_ENGINE=-fsanitize=fuzzer CC=clang \
            CFLAGS=$flags $recipes/oss-fuzz/build.sh || return
    for target in fuzz/fuzz_*.c; do
        target=$scratch/out/$(basename "$target" .c)
        mkdir "$target.corpus" && python3 -m zipfile -e "${target}_seed_corpus.zip" "$target.corpus" &&
            "$target" -runs=1 "$target.corpus" || return
    done
}

check "the recipes are of this version" same_version
check "the recipe for conda asks for what pip does" same_needs
check "what a release fills in is on its page" placeholders
if get_tools >"$scratch/log" 2>&1; then
    check "the recipes parse" parses
    check "conda's builder renders its recipe" conda_renders
    check "conan reads its recipe" prepare_conan
    check "conan creates the static library, and a program uses it" conan_creates
    [ -z "${FROCC_TEST_ALL-}" ] ||
        check "conan creates the shared library and the command" conan_creates -o shared=True -o command=True
else
    skip "conan and conda" "pip could not install it: $(grep -a ERROR "$scratch/log" | head -n 1)"
fi
# It compiles the library with sanitizers, which takes long: in make torture.
if [ -n "${FROCC_TEST_ALL-}" ] && has "oss-fuzz" sanitizers; then
    check "the fuzz targets build and replay by OSS-Fuzz's script" fuzz_builds
fi
finish
