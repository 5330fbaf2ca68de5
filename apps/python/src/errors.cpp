#include "errors.h"

namespace supple::python {

namespace nb = nanobind;

void raise(const Error& error) {
  const nb::object type = nb::module_::import_("supple._errors").attr("Error");
  const auto text = [](const std::string& t) {  // names come from files and need not be UTF-8
    return nb::steal(PyUnicode_DecodeUTF8(t.data(), static_cast<Py_ssize_t>(t.size()), "replace"));
  };
  const nb::object made = type(text(error.item), text(error.problem), text(error.remedy));
  PyErr_SetObject(type.ptr(), made.ptr());
  throw nb::python_error();
}

void warn(const Warnings& warnings, int level) {
  if (warnings.empty()) return;
  const nb::object type = nb::module_::import_("supple._errors").attr("SuppleWarning");
  for (const std::string& warning : warnings)
    if (PyErr_WarnEx(type.ptr(), warning.c_str(), level) != 0) throw nb::python_error();
}

}  // namespace supple::python
