# SPDX-License-Identifier: BSD-3-Clause
# Writes frocc.cdx.json, what is inside, for those who have to know (PEP 770, CycloneDX): our own code
# and nothing else. The library that unpacks gzip is the system's.
set(frocc_purl "pkg:pypi/frocc@${SKBUILD_PROJECT_VERSION}")
set(beside)
set(beside_names)
get_directory_property(has_zlib DIRECTORY .. DEFINITION ZLIB_FOUND)
if(has_zlib)
    set(beside_names "\"zlib\"")
    set(beside [[
    {
      "type": "library",
      "bom-ref": "zlib",
      "name": "zlib",
      "description": "the system's, found when the program starts; not in the wheel",
      "scope": "excluded",
      "licenses": [{"license": {"id": "Zlib"}}]
    }
  ]])
endif()
string(CONFIGURE [[
{
  "bomFormat": "CycloneDX",
  "specVersion": "1.6",
  "version": 1,
  "metadata": {
    "component": {
      "type": "library",
      "bom-ref": "@frocc_purl@",
      "name": "frocc",
      "version": "@SKBUILD_PROJECT_VERSION@",
      "description": "libfrocc, the frocc command and the Python package",
      "licenses": [{"license": {"id": "BSD-3-Clause"}}],
      "purl": "@frocc_purl@"
    }
  },
  "components": [@beside@],
  "dependencies": [{"ref": "@frocc_purl@", "dependsOn": [@beside_names@]}]
}
]] text @ONLY)
file(WRITE ${PROJECT_BINARY_DIR}/frocc.cdx.json "${text}")
