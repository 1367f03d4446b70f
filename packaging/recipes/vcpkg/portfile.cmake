# SPDX-License-Identifier: BSD-3-Clause
# The shared and the static library come together: frocc::frocc and frocc::frocc_static.
vcpkg_check_linkage(ONLY_DYNAMIC_LIBRARY)

vcpkg_download_distfile(archive
    URLS "SOURCE_ADDRESS/frocc-${VERSION}.source.tar.xz"
    FILENAME "frocc-${VERSION}.source.tar.xz"
    SHA512 SOURCE_SHA512)
vcpkg_extract_source_archive(SOURCE_PATH ARCHIVE "${archive}")

vcpkg_check_features(OUT_FEATURE_OPTIONS features
    FEATURES
        tools FROCC_CLI
        zlib FROCC_ZLIB)
vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS ${features} -DFROCC_EXAMPLES=OFF -DFROCC_MPI=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/frocc)
vcpkg_fixup_pkgconfig()
if("tools" IN_LIST FEATURES)
    vcpkg_copy_tools(TOOL_NAMES frocc AUTO_CLEAN)
endif()
file(REMOVE_RECURSE
    "${CURRENT_PACKAGES_DIR}/debug/include"
    "${CURRENT_PACKAGES_DIR}/debug/share"
    "${CURRENT_PACKAGES_DIR}/share/doc")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
