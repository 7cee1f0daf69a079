import type { ProblemIssue } from '@ledger-ops/base';
import type { z } from 'zod';

/**
 * Issues that a schema of named properties found, by pointers; never the values.
 *
 * @param unknown what is said of an unknown name
 */
export function schemaIssues(
  error: z.ZodError,
  unknown: string,
  pointerOf: (name: string) => string,
): ProblemIssue[] {
  return error.issues.flatMap((issue): ProblemIssue[] => {
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((name) => ({ pointer: pointerOf(name), detail: unknown }));
    }
    const [name = '', ...inside] = issue.path.map(String);
    return [{ pointer: [pointerOf(name), ...inside].join('/'), detail: issue.message }];
  });
}
