import { z } from '@hono/zod-openapi';
import type { Admin } from '@ledger-ops/auth';
import { noContent, ok } from '../../http/answer.ts';
import { withPointers } from '../../http/problems/pointers.ts';
import { defineRoute, jsonBody, type Route } from '../../http/route.ts';
import { answered } from '../admin/answers.ts';
import { exampleIds, fields } from '../admin/fields.ts';
import { at, creation } from './creation.ts';
import { pageOf, pageOfAll, pageOfSchema, pageQuery, pagingOf } from './cursor.ts';
import { invitationBody, invitationSchema } from './records.ts';

const service = 'administration';
const path = '/v1/admin/invitations';
const invite = { needs: 'organization:invite', on: 'record' } as const;
/** Also for who made it, or was invited. */
const concerned = { needs: 'organization:invite', on: 'self' } as const;
const states = ['PENDING', 'ACCEPTED', 'REJECTED', 'CANCELED', 'EXPIRED'] as const;
const params = z.object({ invitationId: fields.int64 });

export function invitationRoutes({ invitations }: Admin): Route[] {
  const { answer, ...created } = creation(invitationSchema, invitationBody, ({ id }) => at(path, id));
  return [
    defineRoute({
      method: 'get',
      path,
      operationId: 'adminListInvitations',
      summary: 'List invitations that the caller may make, or was sent',
      service,
      permission: invite,
      query: z.strictObject({
        ...pageQuery,
        state: z.enum(states).default('PENDING'),
        resourceId: fields.id.optional().describe('Of an organization, or of what a role is offered on.'),
      }),
      answers: answered(pageOfSchema('AdminInvitationPage', invitationSchema)),
      async handle({ principal, query: { state, resourceId, ...query } }) {
        const paging = pagingOf(query);
        const all = await invitations.list(principal, state, resourceId);
        return ok(pageOf(pageOfAll(paging, all), invitationBody));
      },
    }),
    defineRoute({
      method: 'post',
      path,
      operationId: 'adminInvite',
      summary: 'Invite somebody into an organization, by mail',
      description:
        'The mail says who invites and into what, and holds a secret with which somebody who has no account sets a first password; with `saml` it holds none. Mails are bounded per organization and per address.',
      service,
      permission: { ...invite, gives: true },
      body: jsonBody(
        z.strictObject({
          organizationId: fields.id,
          email: fields.email,
          subject: fields.subject.nullish(),
          message: fields.message.nullish(),
          saml: z.boolean().default(false),
          roles: z
            .array(z.strictObject({ resourceId: fields.id, role: fields.name }))
            .max(50)
            .default([]),
        }),
        {
          ...{ organizationId: 'example', email: 'ada@example.com' },
          roles: [{ resourceId: exampleIds.project, role: 'operator' }],
        },
      ),
      ...created,
      problems: ['not-found', 'conflict', 'already-exists', 'too-many-requests'],
      handle: ({ principal, body: { email, subject, message, roles, ...body }, claim }) =>
        withPointers(
          [
            ...roles.map(
              (_, at) => [`/invitationResourceRoles/${at}/resource`, `/roles/${at}/resourceId`] as const,
            ),
            ['/invitationResourceRoles', '/roles'],
            ['/userEmail', '/email'],
          ],
          async () =>
            answer(
              await invitations.create(
                principal,
                {
                  ...{ ...body, userEmail: email, emailSubject: subject, message },
                  roles: roles.map(({ resourceId: resource, role }) => ({ resource, role })),
                },
                claim,
              ),
            ),
        ),
    }),
    defineRoute({
      method: 'get',
      path: `${path}/{invitationId}`,
      operationId: 'adminGetInvitation',
      summary: 'Get an invitation',
      service,
      permission: concerned,
      params,
      answers: answered(invitationSchema),
      problems: ['not-found'],
      handle: async ({ principal, params: { invitationId } }) =>
        ok(invitationBody(await invitations.get(principal, invitationId))),
    }),
    defineRoute({
      method: 'delete',
      path: `${path}/{invitationId}`,
      operationId: 'adminCancelInvitation',
      summary: 'Cancel an invitation',
      service,
      permission: concerned,
      params,
      answers: { 204: { description: 'Nobody can accept it any more.' } },
      problems: ['not-found', 'conflict'],
      async handle({ principal, params: { invitationId } }) {
        await invitations.respond(principal, { id: invitationId, move: 'CANCELED' });
        return noContent;
      },
    }),
    defineRoute({
      method: 'post',
      path: `${path}/answer`,
      operationId: 'adminAnswerInvitation',
      summary: 'Accept or reject an invitation',
      description: 'By the identity of the address that was invited.',
      service,
      permission: { needs: [], on: 'self' },
      body: jsonBody(z.strictObject({ invitationToken: z.string().min(1).max(512), accept: z.boolean() }), {
        invitationToken: 'inv_…',
        accept: true,
      }),
      answers: answered(invitationSchema),
      problems: ['not-found', 'conflict'],
      handle: async ({ principal, body: { invitationToken: token, accept } }) => {
        const move = accept ? 'ACCEPTED' : 'REJECTED';
        return ok(invitationBody(await invitations.respond(principal, { token, move })));
      },
    }),
  ];
}
