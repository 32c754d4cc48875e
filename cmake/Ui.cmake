# SPDX-License-Identifier: Apache-2.0
# The pages of ui/, built by npm: files whose names are known before. Needs the network once, for its packages.
if(NOT QUANTLENS_NPM)
  message(FATAL_ERROR "QUANTLENS_UI needs npm; install nodejs and npm, or configure with -DQUANTLENS_UI=OFF")
endif()
set(assets index.html app.css app.js shared.js
  # what is fetched when it is first shown, as ui/vite.config.ts cuts it
  accuracy.js costs.js floats.js graph.js graph-svg.js graph-worker.js jobs.js network.js palette.js plot.js profile.js tuning.js)
# what `quantlens report` puts into one file
list(APPEND assets report.css report.html report.js)
set(asset_folder ${CMAKE_CURRENT_BINARY_DIR}/ui)
set(ui ${PROJECT_SOURCE_DIR}/ui)
set(ui_packages ${ui}/node_modules/.package-lock.json)
file(GLOB_RECURSE ui_sources CONFIGURE_DEPENDS ${ui}/src/*)
list(TRANSFORM assets PREPEND ${asset_folder}/ OUTPUT_VARIABLE ui_built)
add_custom_command(OUTPUT ${ui_packages} DEPENDS ${ui}/package.json ${ui}/package-lock.json WORKING_DIRECTORY ${ui}
  COMMAND ${QUANTLENS_NPM} ci --no-audit --no-fund --loglevel=error VERBATIM COMMENT "Fetching the packages of ui/")
add_custom_command(OUTPUT ${ui}/src/api/types.ts DEPENDS quantlens_openapi ${ui_packages} WORKING_DIRECTORY ${ui}
  COMMAND sh -c "\"$1\" >\"$2\"" sh $<TARGET_FILE:quantlens_openapi> ${CMAKE_CURRENT_BINARY_DIR}/openapi.json
  COMMAND ${QUANTLENS_NPM} run --silent types -- ${CMAKE_CURRENT_BINARY_DIR}/openapi.json VERBATIM
  COMMENT "Making the types of ui/ of the OpenAPI document")
list(FILTER ui_sources EXCLUDE REGEX "/types\\.ts$")
add_custom_command(OUTPUT ${ui_built} WORKING_DIRECTORY ${ui} VERBATIM COMMENT "Building the pages of ui/"
  DEPENDS ${ui_packages} ${ui_sources} ${ui}/src/api/types.ts ${ui}/index.html ${ui}/public/report.html ${ui}/build.mjs ${ui}/vite.config.ts ${ui}/svelte.config.js ${ui}/tsconfig.json
  COMMAND ${QUANTLENS_NPM} run --silent build -- --outDir ${asset_folder} --emptyOutDir --logLevel warn)
if(QUANTLENS_BUILD_TESTS)
  foreach(script test check)
    add_test(NAME ui/${script} COMMAND ${QUANTLENS_NPM} run --silent ${script} WORKING_DIRECTORY ${ui})
    set_tests_properties(ui/${script} PROPERTIES LABELS unit TIMEOUT 300)
  endforeach()
endif()
