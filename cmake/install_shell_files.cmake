# SPDX-License-Identifier: Apache-2.0
# Runs when the program is installed; `quantlens_printer` is the command that starts it. Each file also stands under the
# name neural_insights, by which shells and man look for it.
set(share ${CMAKE_INSTALL_PREFIX}/share)
list(REMOVE_ITEM quantlens_printer "")

# What the program prints for these arguments becomes share/FOLDER/FILE.
function(_quantlens_print folder file)
  set(place $ENV{DESTDIR}${share}/${folder})
  execute_process(COMMAND ${quantlens_printer} ${ARGN} OUTPUT_VARIABLE text ERROR_VARIABLE error RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    message(WARNING "${share}/${folder}/${file} is left out: quantlens does not run here: ${code} ${error}")
    return()
  endif()
  message(STATUS "Installing: ${place}/${file}")
  file(MAKE_DIRECTORY ${place})
  if(file MATCHES "\\.gz$")
    cmake_path(REMOVE_EXTENSION file LAST_ONLY OUTPUT_VARIABLE plain)
    file(WRITE ${place}/${plain} "${text}")
    file(ARCHIVE_CREATE OUTPUT ${place}/${file} PATHS ${place}/${plain} FORMAT raw COMPRESSION GZip)
    file(REMOVE ${place}/${plain})
  else()
    file(WRITE ${place}/${file} "${text}")
  endif()
  list(APPEND CMAKE_INSTALL_MANIFEST_FILES ${share}/${folder}/${file})
  set(CMAKE_INSTALL_MANIFEST_FILES ${CMAKE_INSTALL_MANIFEST_FILES} PARENT_SCOPE)
endfunction()

# A second name; zsh needs none, as the file says which commands it is for.
function(_quantlens_link folder name file)
  if(EXISTS $ENV{DESTDIR}${share}/${folder}/${file})
    file(CREATE_LINK ${file} $ENV{DESTDIR}${share}/${folder}/${name} SYMBOLIC)
    list(APPEND CMAKE_INSTALL_MANIFEST_FILES ${share}/${folder}/${name})
    set(CMAKE_INSTALL_MANIFEST_FILES ${CMAKE_INSTALL_MANIFEST_FILES} PARENT_SCOPE)
  endif()
endfunction()

_quantlens_print(man/man1 quantlens.1.gz manual)
_quantlens_link(man/man1 neural_insights.1.gz quantlens.1.gz)
_quantlens_print(bash-completion/completions quantlens completion bash)
_quantlens_link(bash-completion/completions neural_insights quantlens)
_quantlens_print(zsh/site-functions _quantlens completion zsh)
_quantlens_print(fish/vendor_completions.d quantlens.fish completion fish)
_quantlens_link(fish/vendor_completions.d neural_insights.fish quantlens.fish)
