import { describe, expect, it } from 'vitest';
import { rewriteParameters } from './statements.ts';

describe('numbered parameters', () => {
  it('replaces numbered parameters with `?`, and returns the parameter order only if it is not 1, 2, …', () => {
    expect(rewriteParameters('a = $1 and b = $2')).toEqual({ text: 'a = ? and b = ?', order: undefined });
    expect(rewriteParameters('b = $2 and a = $1 or $2')).toEqual({
      text: 'b = ? and a = ? or ?',
      order: [1, 0, 1],
    });
  });

  it('does not replace parameters inside quoted strings and names', () => {
    expect(rewriteParameters(`'$1 it''s' || "$2" || $1`)).toEqual({
      text: `'$1 it''s' || "$2" || ?`,
      order: undefined,
    });
  });
});
