import type { Queries } from '@ledger-ops/store';
import { textList } from '../rows/sql.ts';

/**
 * Condition: the action has one of the ids in a list, its own or the one that its sender chose. The latter is unique in
 * a project: to be asked together with the project.
 */
export function namedIn(dialect: Queries['dialect'], list: string): string {
  const ids = textList(dialect, list);
  // PostgreSQL finds subqueries within an OR by no index; arrays it does.
  const among = dialect === 'postgres' ? `= ANY(ARRAY${ids})` : `IN ${ids}`;
  return `(action.id ${among} OR action.given_id ${among})`;
}
