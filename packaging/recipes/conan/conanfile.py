# SPDX-License-Identifier: BSD-3-Clause
"""The library, and the command where it is asked for, from the source archive of a release."""

import os

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, get, rm, rmdir

required_conan_version = ">=2.0"


class FroccConan(ConanFile):
    name = "frocc"
    version = "0.1.0"
    description = "Fast random projection-based one-class classification"
    license = "BSD-3-Clause"
    homepage = "PROJECT_ADDRESS"
    topics = ("anomaly-detection", "one-class-classification", "novelty-detection")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False], "zlib": [True, False], "command": [True, False]}
    default_options = {"shared": False, "fPIC": True, "zlib": True, "command": False}
    implements = ["auto_shared_fpic"]
    languages = "C"

    def validate(self):
        if self.settings.os == "Windows":
            raise ConanInvalidConfiguration("frocc needs POSIX threads")

    def layout(self):
        cmake_layout(self, src_folder="src")

    def requirements(self):
        if self.options.zlib:
            self.requires("zlib/[>=1.2.11 <2]")

    def source(self):
        get(self, **self.conan_data["sources"][self.version], strip_root=True)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["FROCC_CLI"] = bool(self.options.command)
        toolchain.cache_variables["FROCC_EXAMPLES"] = False
        toolchain.cache_variables["FROCC_MPI"] = False
        toolchain.cache_variables["FROCC_ZLIB"] = bool(self.options.zlib)
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        library = os.path.join(self.package_folder, "lib")
        for pattern in ("*.a",) if self.options.shared else ("*.so*", "*.dylib"):
            rm(self, pattern, library)
        for folder in ("lib/cmake", "lib/pkgconfig", "share"):
            rmdir(self, os.path.join(self.package_folder, folder))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "frocc")
        self.cpp_info.set_property("cmake_target_name", "frocc::frocc")
        self.cpp_info.set_property("pkg_config_name", "frocc")
        self.cpp_info.libs = ["frocc"]
        if self.settings.os in ("Linux", "FreeBSD"):
            self.cpp_info.system_libs = ["m", "pthread"]
