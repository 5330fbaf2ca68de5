# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs of the engine that take longer than a frame: on a thread of their own, with progress and Esc."""

from __future__ import annotations

import atexit
import threading
import traceback
import warnings
import weakref
from collections.abc import Callable
from typing import Any

from .rig import RigError

STOPPED = "Stopped"


class _Stopped(Exception):
    pass


_running: weakref.WeakSet[Job] = weakref.WeakSet()


def stop_all() -> None:
    """Blender is closed, or the add-on switched off: jobs end, and leave nothing behind."""
    for job in list(_running):
        job.stop = True
    for job in list(_running):
        job.wait()


atexit.register(stop_all)


class Job:
    """A function on a thread of its own, which touches nothing of Blender. It is called with a listener for progress."""

    def __init__(self, work: Callable[[Callable[[str, float], None]], Any]) -> None:
        self.stop = False
        self.progress = ("starting", 0.0)  # stage, and how much of it is done
        self.result: Any = None
        self.problem: str | None = None
        self.warnings: list[str] = []
        # A thread that Python would wait for could not be stopped at the end: stop_all() waits, once it has been told.
        self._thread = threading.Thread(target=self._run, args=(work,), daemon=True)
        _running.add(self)
        self._thread.start()

    def runs(self) -> bool:
        return self._thread.is_alive()

    def wait(self) -> None:
        self._thread.join()

    def _told(self, stage: str, part: float) -> None:
        self.progress = (stage, part)
        if self.stop:
            raise _Stopped

    def _run(self, work: Callable[[Callable[[str, float], None]], Any]) -> None:
        import supple

        try:
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                self.result = work(self._told)
            self.warnings = [str(one.message) for one in told]
        except _Stopped:
            self.problem = STOPPED
        except (supple.Error, RigError) as error:
            self.problem = str(error)
        except Exception:  # a fault of ours: the console has the rest
            traceback.print_exc()
            self.problem = "Supple failed; the system console says where"


class JobOperator:
    """What operators that start a job share. From menus they run beside Blender, from scripts they wait.

    `_begin(context)` gives the job and may raise RigError; `_finish(context, result)` puts what it made into the scene and may
    too; `_clean()` is called at last, whatever happened.
    """

    _job: Job

    def execute(self, context: Any) -> set[str]:
        if not self._start(context):
            return {"CANCELLED"}
        self._job.wait()
        return self._end(context)

    def invoke(self, context: Any, event: Any) -> set[str]:
        if not self._start(context):
            return {"CANCELLED"}
        self._timer = context.window_manager.event_timer_add(0.1, window=context.window)
        context.window_manager.progress_begin(0, 100)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: Any, event: Any) -> set[str]:
        if event.type == "ESC":
            self._job.stop = True
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        stage, part = self._job.progress
        context.window_manager.progress_update(100 * part)
        context.workspace.status_text_set("Supple is stopping" if self._job.stop else f"Supple: {stage}, {100 * part:.0f} % (Esc stops it)")
        if self._job.runs():
            return {"RUNNING_MODAL"}
        context.window_manager.event_timer_remove(self._timer)
        context.window_manager.progress_end()
        context.workspace.status_text_set(None)
        return self._end(context)

    def cancel(self, context: Any) -> None:
        """Blender is closed meanwhile."""
        self._job.stop = True
        self._job.wait()
        self._clean()

    def _start(self, context: Any) -> bool:
        try:
            self._job = self._begin(context)
        except RigError as error:
            self.report({"ERROR"}, str(error))
            self._clean()
            return False
        return True

    def _end(self, context: Any) -> set[str]:
        try:
            if self._job.problem is not None:
                self.report({"WARNING" if self._job.problem == STOPPED else "ERROR"}, self._job.problem)
                return {"CANCELLED"}
            self._finish(context, self._job.result)
        except RigError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        finally:
            self._clean()
        return {"FINISHED"}

    def _clean(self) -> None:
        pass
