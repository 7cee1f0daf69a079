import type { z } from '@hono/zod-openapi';
import type { Admin, Archive, ArchivedType, Principal } from '@ledger-ops/auth';
import type { ListResult } from '@ledger-ops/base';
import { ok } from '../../http/answer.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { answered } from './answers.ts';
import { nextOf } from './cursor.ts';
import { fields } from './fields.ts';

/** Query parameter of lists of records that can be archived. */
export const archivedQuery = {
  archived: fields
    .flag(false)
    .describe('`true`: only archived records and records in archived ones; `false`: all other records.'),
};

/** Creates responses with records and the times at which they were archived. */
export function presenter<View extends { readonly id: number }>(
  { times }: Pick<Archive, 'times'>,
  uidOf: (view: View) => string,
  body: (view: View, archivedAt?: number) => object,
) {
  const bodiesOf = async (views: readonly View[]) => {
    const since = await times(views.map(uidOf));
    return views.map((view) => body(view, since.get(uidOf(view))));
  };
  return {
    one: async (view: View) => ok((await bodiesOf([view]))[0]),
    page: async (found: ListResult<View>) => ok({ items: await bodiesOf(found.items), next: nextOf(found) }),
  };
}

/** A record type that can be archived. */
interface Archivable<Id extends string> {
  readonly type: ArchivedType;
  /** Path of a record, with the parameter `id` in braces. */
  readonly path: string;
  readonly id: Id;
  readonly params: z.ZodObject & z.ZodType<Record<Id, string>>;
  /** Name in operation ids. */
  readonly name: string;
  /** Name of the type with an article, such as `a project`. */
  readonly one: string;
  readonly schema: z.ZodType;
  readonly show: (principal: Principal, id: string) => Promise<ReturnType<typeof ok>>;
}

/** Routes that archive and restore a record. */
export function archiveRoutes<Id extends string>({ archive }: Admin, kind: Archivable<Id>): Route[] {
  const { type, path, id, params, name, one, schema, show } = kind;
  const common = {
    method: 'post',
    service: 'administration',
    params,
    answers: answered(schema),
    problems: ['not-found', 'conflict'],
  } as const;
  const permission = { needs: `${type}:delete`, on: 'record' } as const;
  return [
    defineRoute({
      ...common,
      path: `${path}/archive`,
      operationId: `adminArchive${name}`,
      summary: `Archive ${one}`,
      description:
        'Once the response is sent, the record and everything in it are read-only: tokens, keys and sign-ins of applications and accounts are refused, no operation or invitation is accepted, webhooks and streams stop, and lists omit the record. Accepted operations still complete: to prevent that, suspend the project first. The id cannot be used for another record. Records that contain the caller, the console or the last administrator cannot be archived. Archiving an archived record has no effect.',
      permission,
      handle: async ({ principal, params }) => {
        await archive.archive(principal, type, params[id]);
        return await show(principal, params[id]);
      },
    }),
    defineRoute({
      ...common,
      path: `${path}/restore`,
      operationId: `adminRestore${name}`,
      summary: `Restore ${one} from the archive`,
      description:
        'Restores the former state of the record and everything in it: API tokens, keys and application tokens that were not disabled or replaced are valid again, users must sign in and consent again, and webhooks deliver the events that they missed. The caller must hold all permissions of the accounts and applications in it. Restoring a record that is not archived has no effect.',
      permission: { ...permission, gives: true },
      handle: async ({ principal, params }) => {
        await archive.restore(principal, type, params[id]);
        return await show(principal, params[id]);
      },
    }),
  ];
}
