import { Problem } from '@ledger-ops/base';

/** The problem of a path that names nothing the caller may see. */
export function noSuch(what: string): Problem {
  return new Problem('not-found', `There is no such ${what} that you may see.`);
}
