"""What goes wrong, and what is only noticed."""


class Error(Exception):
    """A file, an option or the data is not as it should be: which item, what is wrong with it, what to do about it."""

    def __init__(self, item: str, problem: str, remedy: str = "") -> None:
        super().__init__(item, problem, remedy)
        self.item = item
        self.problem = problem
        self.remedy = remedy

    def __str__(self) -> str:
        text = f"{self.item}: {self.problem}" if self.item else self.problem
        return f"{text} ({self.remedy})" if self.remedy else text


class SuppleWarning(UserWarning):
    """Something was repaired, left out or came out worse than one might expect."""
