// Errors are values: what went wrong, with which item, and what to do about it.

export interface Problem {
  item: string;
  problem: string;
  remedy: string;
}

export type Result<T> = { ok: true; value: T } | { ok: false; error: Problem };

export const success = <T>(value: T): Result<T> => ({ ok: true, value });
export const failure = (item: string, problem: string, remedy: string): { ok: false; error: Problem } => ({
  ok: false,
  error: { item, problem, remedy },
});

/** As one sentence to show. */
export const describe = ({ item, problem, remedy }: Problem) => `${item} ${problem}${remedy ? `: ${remedy}` : ''}`;
