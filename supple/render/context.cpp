// EGL without a surface, with a 1 x 1 one as the second choice.
#include "supple/render/context.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl3.h>

#include <algorithm>
#include <string_view>

namespace supple::render {
namespace {

Error no_driver(const std::string& problem) {
  return {"off-screen drawing", problem, "install a driver: apt install libgl1-mesa-dri (software is enough)"};
}

bool has_extension(const char* list, std::string_view name) {
  for (std::string_view rest = list == nullptr ? "" : list; !rest.empty();) {
    const std::size_t blank = std::min(rest.find(' '), rest.size());
    if (rest.substr(0, blank) == name) return true;
    rest.remove_prefix(std::min(blank + 1, rest.size()));
  }
  return false;
}

EGLDisplay open_display() {
  if (has_extension(eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS), "EGL_MESA_platform_surfaceless")) {
    const auto get_display =
        reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(eglGetProcAddress("eglGetPlatformDisplayEXT"));
    if (get_display != nullptr) {
      const EGLDisplay display = get_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
      if (display != EGL_NO_DISPLAY && eglInitialize(display, nullptr, nullptr)) return display;
    }
  }
  const EGLDisplay display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
  return display != EGL_NO_DISPLAY && eglInitialize(display, nullptr, nullptr) ? display : EGL_NO_DISPLAY;
}

/// EGL hands out the same display every time and eglTerminate ends it for everyone, so all contexts share one. It stays
/// open until the process ends: drivers are slow to load, and some lose memory when they are unloaded.
EGLDisplay shared_display() {
  static const EGLDisplay display = open_display();
  return display;
}

}  // namespace

struct Context::Handles {
  EGLDisplay display = EGL_NO_DISPLAY;
  EGLContext context = EGL_NO_CONTEXT;
  EGLSurface surface = EGL_NO_SURFACE;  // only where the driver cannot do without

  ~Handles() {
    if (context != EGL_NO_CONTEXT) eglDestroyContext(display, context);
    if (surface != EGL_NO_SURFACE) eglDestroySurface(display, surface);
  }
};

Context::Context(std::unique_ptr<Handles> handles) : handles_(std::move(handles)) {}
Context::Context(Context&&) noexcept = default;
Context& Context::operator=(Context&&) noexcept = default;
Context::~Context() = default;

Result<Context> Context::create() {
  auto handles = std::make_unique<Handles>();
  handles->display = shared_display();
  if (handles->display == EGL_NO_DISPLAY) return no_driver("no EGL display could be opened");
  const EGLDisplay display = handles->display;
  if (!eglBindAPI(EGL_OPENGL_ES_API)) return no_driver("the EGL driver does not offer OpenGL ES");

  const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_ES3_BIT, EGL_NONE};
  EGLConfig config = nullptr;
  EGLint found = 0;
  if (!eglChooseConfig(display, wanted, &config, 1, &found) || found == 0) {
    return no_driver("the EGL driver does not offer OpenGL ES 3");
  }
  const EGLint version[] = {EGL_CONTEXT_CLIENT_VERSION, 3, EGL_NONE};
  handles->context = eglCreateContext(display, config, EGL_NO_CONTEXT, version);
  if (handles->context == EGL_NO_CONTEXT) return no_driver("an OpenGL ES 3 context could not be made");
  if (!has_extension(eglQueryString(display, EGL_EXTENSIONS), "EGL_KHR_surfaceless_context")) {
    const EGLint tiny[] = {EGL_WIDTH, 1, EGL_HEIGHT, 1, EGL_NONE};
    handles->surface = eglCreatePbufferSurface(display, config, tiny);
  }

  Context context(std::move(handles));
  const Current current(context);
  if (!current.ok()) return no_driver("the OpenGL ES context could not be used");
  const auto* name = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
  context.device_ = name == nullptr ? "unknown" : name;
  return context;
}

Context::Current::Current(const Context& context)
    : display_(context.handles_->display),
      former_display_(eglGetCurrentDisplay()),
      former_context_(eglGetCurrentContext()),
      former_draw_(eglGetCurrentSurface(EGL_DRAW)),
      former_read_(eglGetCurrentSurface(EGL_READ)) {
  const Handles& handles = *context.handles_;
  ok_ = eglMakeCurrent(display_, handles.surface, handles.surface, handles.context) == EGL_TRUE;
}

Context::Current::~Current() {
  if (former_context_ != EGL_NO_CONTEXT) {
    eglMakeCurrent(former_display_, former_draw_, former_read_, former_context_);
  } else {
    eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
  }
}

}  // namespace supple::render
