import type { Queries } from '@ledger-ops/store';
import { among } from '../rows/sql.ts';

/**
 * SQL condition: `list` contains the id of an action, or the id that its caller chose for it. Chosen ids are unique
 * only within a project, so combine this with a condition on the project.
 */
export function namedIn(dialect: Queries['dialect'], list: string): string {
  return `(${among(dialect, 'action.id', list)} OR ${among(dialect, 'action.given_id', list)})`;
}
