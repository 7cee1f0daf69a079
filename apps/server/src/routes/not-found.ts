import { Problem } from '@ledger-ops/base';

/** Creates the problem for a record in a path that does not exist or is not visible to the caller. */
export function noSuch(what: string): Problem {
  return new Problem('not-found', `The ${what} does not exist or is not visible to you.`);
}
