// supple._core: what the package `supple` is made of.
#include "module.h"

#include <nanobind/nanobind.h>

NB_MODULE(_core, m) {
  m.doc() = "The engine behind the package supple.";
  m.attr("version") = SUPPLE_VERSION;
  supple::python::bind_character(m);
  supple::python::bind_pose(m);
  supple::python::bind_skin(m);
  supple::python::bind_take(m);
  supple::python::bind_examples(m);
  supple::python::bind_commands(m);
  supple::python::bind_cuda(m);
}
