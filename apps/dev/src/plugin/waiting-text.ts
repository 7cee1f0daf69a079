import type { Status } from '../follow.ts';

/**
 * Says what became of the operation, and what the server waits for.
 * @param next what makes the server send another operation, such as "for changes in /plugin"
 */
export function waitingText(status: Status, next: string): string {
  switch (status) {
    case 'SUCCEEDED':
      return `Waiting ${next}.`;
    case 'PENDING':
      return `The operation is still pending, and the server continues with it. To send another one, it waits ${next}.`;
    case 'FAILED':
      return `The operation did not succeed. The server keeps running. Before it tries again, it waits ${next}.`;
  }
}
