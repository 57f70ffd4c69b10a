from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy
from conan.tools.system import package_manager


class EmbedscaleRecipe(ConanFile):
    """conan create packaging/conan, from a clone."""

    name = "embedscale"
    version = "0.1.0"
    description = "Embedding and position primitives, and properties of them"
    license = "MIT"
    url = homepage = "https://github.com/embedscale/embedscale"
    package_type = "static-library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"command": [True, False], "fast": [True, False], "properties": [True, False]}
    default_options = {"command": False, "fast": False, "properties": True}

    def export_sources(self):
        root = self.recipe_folder + "/../.."
        for pattern in ("CMakeLists.txt", "LICENSE", "analyses/*", "cmake/*", "lib/*",
                        "packaging/*", "properties/*", "reports/*"):
            copy(self, pattern, root, self.export_sources_folder)

    def system_requirements(self):
        # Headers that ConanCenter does not have.
        package_manager.Apt(self).install(["librandom123-dev"])
        package_manager.Brew(self).install(["random123"])

    def requirements(self):
        if self.options.properties or self.options.command:
            self.requires("boost/[>=1.74]")
        if self.options.properties:
            for needed in ("gmp/[>=6.2]", "mpfr/[>=4.1]", "gtest/[>=1.12]",
                           "rapidcheck/cci.20231215"):
                self.requires(needed, transitive_headers=True)
        if self.options.fast:
            self.requires("highway/[>=1.0]")
            self.requires("onetbb/[>=2021.5]")
        if self.options.command:
            for needed in ("cli11/[>=2.1 <3]", "fmt/[>=9]", "muparser/[>=2.3]",
                           "nlohmann_json/[>=3.11 <4]", "tomlplusplus/[>=3.3]"):
                self.requires(needed)

    def validate(self):
        check_min_cppstd(self, 20)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        for option in ("command", "fast", "properties"):
            toolchain.cache_variables[f"EMBEDSCALE_{option.upper()}"] = bool(
                getattr(self.options, option))
        toolchain.cache_variables["EMBEDSCALE_ANALYSES"] = False
        toolchain.cache_variables["EMBEDSCALE_TESTS"] = False
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, self.package_folder + "/licenses")

    def package_info(self):
        # Its own package says what each target needs.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["lib/cmake/embedscale"]
