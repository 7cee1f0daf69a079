import { z } from '@hono/zod-openapi';
import { chosenId } from '@ledger-ops/auth';
import { Problem, Secret } from '@ledger-ops/base';
import { currentGloVersion, parseGlo } from '@ledger-ops/glo-core';
import type { ContractTemplates } from '@ledger-ops/registry';
import type { Runtime, SendRequest } from '@ledger-ops/runtime';
import { created } from '../../http/answer.ts';
import type { PointerMap } from '../../http/problems/pointers.ts';
import { type BodySpec, defineRoute, jsonBody, type Route } from '../../http/route.ts';
import { text } from '../../http/schemas.ts';
import { olderAcceptedAnswer, olderAcceptedBody } from '../../present/older-accepted.ts';
import { argumentTexts, passwordMember } from '../operations/send-body.ts';
import { sendProblems } from '../operations/send-problems.ts';

export interface DeploymentDeps {
  readonly runtime: Pick<Runtime, 'actions'>;
  readonly services: { readonly templates: Pick<ContractTemplates, 'template'> };
}

const schema = z
  .object({
    args: argumentTexts.nullish().openapi({ description: 'Arguments of the constructor, in order.' }),
    id: text(64).nullish().openapi({
      description: 'Becomes the contractInstanceID of the deployed contract; default: the action’s id.',
    }),
    ledgerId: text(64),
    name: text(200).nullish().openapi({ description: 'Name of the deployed contract; default: its id.' }),
    tag: text(64).openapi({ description: 'Version of the template.' }),
    templateId: text(64),
    walletId: text(64),
    walletPassword: passwordMember,
  })
  .openapi('DeploymentBody');

/** Maps pointers into the GLO to the body. */
const pointers: PointerMap = [
  ['/glo/options/args', '/args'],
  ['/glo/options/contract_source', '/tag', 'whole'],
  ['/glo', '', 'named'],
];

const body: BodySpec<{ templateId: string; request: SendRequest }> = {
  ...jsonBody(schema),
  size: 'contract',
  example: {
    templateId: 'dev-token',
    tag: '1',
    args: ['My Token', 'MINE', '1000000'],
    ledgerId: 'dev-ethereum',
    id: 'my-token',
    name: 'My Token',
    walletId: 'alice',
    walletPassword: 'correct horse battery staple',
  },
  read(input) {
    const { args, id, ledgerId, name, tag, templateId, walletId, walletPassword } =
      jsonBody(schema).read(input);
    const contractId = id === undefined || id === null ? null : chosenId(id, '/id');
    const glo = parseGlo({
      version: currentGloVersion,
      type: 'contract_deploy',
      options: {
        contract_source: {
          lookup_service: { type: 'service', value: 'service' },
          resource: `${templateId}:${tag}`,
        },
        args: args ?? [],
      },
    });
    return {
      templateId,
      request: {
        glo,
        walletId,
        ledgerId,
        dependencies: [],
        intent: null,
        tag: null,
        walletPassword: new Secret(walletPassword),
        registration: { contractId, name: name ?? null },
        pointers: {
          glo: '/glo',
          walletId: '/walletId',
          walletPassword: '/walletPassword',
          ledgerId: '/ledgerId',
          dependencies: '',
          intent: '',
          deadline: '',
          contractId: '/id',
        },
      },
    };
  },
};

/** Deployment by template and tag in the deprecated contract registry. It is sent as a GLO `contract_deploy`. */
export function deploymentRoutes({ runtime: { actions }, services: { templates } }: DeploymentDeps): Route[] {
  return [
    defineRoute({
      method: 'post',
      path: '/v1/smart-contracts/deployments',
      operationId: 'deploySmartContract',
      contacts: ['ledger'],
      successor: '/v1/ledger-ops/send',
      summary: 'Deploy a contract',
      description: 'The contract is registered when the action succeeds.',
      service: 'older-contract-registry',
      permission: {
        needs: 'wallet:transact',
        on: 'record',
        also: ['smart-contract-template:read'],
      },
      deprecated: true,
      body,
      pointers,
      creates: { present: olderAcceptedBody },
      answers: olderAcceptedAnswer,
      problems: [...sendProblems, 'already-exists'],
      async handle({ principal, body: { templateId, request }, claim }) {
        await templates.template(principal, templateId).catch((error: unknown) => {
          throw notFoundAt(
            error,
            '/templateId',
            `The template ${templateId} does not exist or is not visible to you.`,
          );
        });
        return created(olderAcceptedBody(await actions.send(principal, request, claim)));
      },
    }),
  ];
}

function notFoundAt(error: unknown, pointer: string, detail: string): unknown {
  if (!(error instanceof Problem) || error.problem !== 'not-found') return error;
  return new Problem('not-found', detail, { errors: [{ pointer, detail }] });
}
