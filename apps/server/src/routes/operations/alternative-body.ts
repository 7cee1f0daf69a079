import { z } from '@hono/zod-openapi';
import { invalidRequest, type ProblemIssue } from '@ledger-ops/base';
import { currentGloVersion, type Glo, GloError, operationTypes, parseGlo } from '@ledger-ops/glo-core';
import type { SendRequest } from '@ledger-ops/runtime';
import { type PointerMap, remapProblem } from '../../http/problems/pointers.ts';
import { toProblem } from '../../http/problems/problem-answer.ts';
import { type BodySpec, jsonBody } from '../../http/route.ts';
import { text } from '../../http/schemas.ts';
import { type Placed, passwordMember, sendingMembers, sendingPointers, sendRequest } from './send-body.ts';

/** A parameter: `{value}` if parameters are in order, or `{name, value}`. */
const parameterSchema = z
  .strictObject({
    name: text(256).optional(),
    value: z.unknown().openapi({ description: 'Text, number, true/false, array or object.' }),
  })
  .openapi('CallParameter');

const optionsSchema = z
  .strictObject({
    service: z
      .strictObject({ ...sendingMembers, walletPassword: passwordMember })
      .openapi('CallServiceOptions'),
    plugin: text(256, 0).nullish().openapi({
      description: 'Id of the plugin. If empty or absent, the service selects a plugin by the tags.',
    }),
  })
  .openapi('CallOptions');

/** Body of a contract call as `{contractId, method, params, options}`, instead of a GLO. */
export const contractCallSchema = z
  .strictObject({
    contractId: text(256),
    method: text(4096),
    options: optionsSchema,
    params: z.array(parameterSchema).max(256).nullish(),
  })
  .openapi('ContractCallBody');

const ledgerCallSchema = z
  .strictObject({
    ledgerId: text(64),
    method: z.enum(operationTypes),
    options: optionsSchema,
    params: z.array(parameterSchema).max(256).nullish(),
  })
  .openapi('LedgerCallBody');

export type ContractCallBody = z.output<typeof contractCallSchema>;

/** Parsed parameters, either ordered or named. */
export type Parameters =
  | { kind: 'ordered'; values: unknown[] }
  | { kind: 'named'; values: Map<string, { value: unknown; index: number }> };

/** @throws Problem `invalid-request` if both forms are mixed, a name is repeated or a value is missing */
export function readParameters(params: z.output<typeof parameterSchema>[] | null | undefined): Parameters {
  const list = params ?? [];
  const issues: ProblemIssue[] = [];
  const values = new Map<string, { value: unknown; index: number }>();
  const isNamed = list[0]?.name !== undefined;
  for (const [index, { name, value }] of list.entries()) {
    const pointer = `/params/${index}`;
    if (value === undefined) issues.push({ pointer: `${pointer}/value`, detail: 'is required' });
    if ((name !== undefined) !== isNamed) {
      issues.push({ pointer, detail: 'params must be all {value}, in order, or all {name, value}' });
    } else if (name !== undefined && values.has(name)) {
      issues.push({ pointer: `${pointer}/name`, detail: 'is present twice' });
    } else if (name !== undefined) {
      values.set(name, { value, index });
    }
  }
  if (issues.length > 0) throw invalidRequest(issues);
  return isNamed ? { kind: 'named', values } : { kind: 'ordered', values: list.map(({ value }) => value) };
}

/** Converts an argument to text, as required in a GLO. @throws Problem `invalid-request` */
export function argumentText(value: unknown, pointer: string): string {
  switch (typeof value) {
    case 'string':
      return value;
    case 'boolean':
      return String(value);
    case 'number':
      if (Number.isSafeInteger(value)) return String(value);
      throw invalidRequest([
        { pointer, detail: 'must be a whole number that a double can hold exactly; write it as text' },
      ]);
    default:
      if (value === null) throw invalidRequest([{ pointer, detail: 'must not be null' }]);
      return JSON.stringify(value);
  }
}

/** Names of the options and meta, in the order in which parameters without names (`{value}`) are assigned. */
const ledgerCallOrder = {
  transfer: ['recipient', 'amount', 'meta'],
  contract_call: ['contract_instance', 'method_name', 'args', 'meta'],
  contract_deploy: ['contract_source', 'args', 'meta'],
} as const;

const ledgerCallJson = jsonBody(
  ledgerCallSchema,
  {
    ledgerId: 'dev-ethereum',
    method: 'contract_deploy',
    params: [
      {
        name: 'contract_source',
        value: { lookup_service: { type: 'service', value: 'service' }, resource: 'dev-token:1' },
      },
      { name: 'args', value: ['1000000'] },
    ],
    options: {
      service: {
        walletId: 'alice',
        walletPassword: 'correct horse battery staple',
        dependencies: [],
        intent: null,
      },
    },
  },
  'contract',
);

/** Body of a ledger call, `{ledgerId, method, params, options}`, instead of a send request with a GLO. */
export const ledgerCallBody: BodySpec<Placed<SendRequest>> = {
  ...ledgerCallJson,
  read(input) {
    const body = ledgerCallJson.read(input);
    const { glo, pointers } = gloOfLedgerCall(body);
    return { request: alternativeRequest(body.options, glo, body.ledgerId), places: pointers };
  },
};

/** Converts a ledger call to a GLO. @throws Problem with pointers into the request */
function gloOfLedgerCall(body: z.output<typeof ledgerCallSchema>): { glo: Glo; pointers: PointerMap } {
  const parameters = readParameters(body.params);
  const names: readonly string[] = ledgerCallOrder[body.method];
  const options: Record<string, unknown> = {};
  const pointers: [string, string, 'named'?][] = [['/glo/type', '/method']];
  let meta: unknown;
  const take = (name: string, value: unknown, index: number, place: string) => {
    if (!names.includes(name)) {
      const detail = `is not a parameter of ${body.method}, which accepts ${names.join(', ')}`;
      throw invalidRequest([{ pointer: place, detail }]);
    }
    pointers.push([name === 'meta' ? '/glo/meta' : `/glo/options/${name}`, `/params/${index}/value`]);
    if (name === 'meta') meta = value;
    else options[name] = value;
  };
  if (parameters.kind === 'named') {
    for (const [name, { value, index }] of parameters.values) {
      take(name, value, index, `/params/${index}/name`);
    }
  } else {
    for (const [index, value] of parameters.values.entries()) {
      take(names[index] ?? '', value, index, `/params/${index}`);
    }
  }
  pointers.push(['/glo', '/params', 'named']);
  const document = {
    version: currentGloVersion,
    type: body.method,
    options,
    ...(meta === undefined ? {} : { meta }),
  };
  return { glo: parseMapped(document, pointers), pointers };
}

/** Converts a contract call with ordered text arguments to a GLO. */
export function gloOfContractCall(
  body: ContractCallBody,
  args: readonly string[],
  places: readonly string[],
): { glo: Glo; pointers: PointerMap } {
  const pointers: [string, string, ('whole' | 'named')?][] = [
    ['/glo/options/contract_instance', '/contractId', 'whole'],
    ['/glo/options/method_name', '/method'],
    ...places.map((place, index): [string, string] => [`/glo/options/args/${index}`, place]),
    ['/glo/options/args', '/params'],
    ['/glo', '', 'named'],
  ];
  const document = {
    version: currentGloVersion,
    type: 'contract_call',
    options: {
      contract_instance: { lookup_service: { type: 'service', value: 'service' }, resource: body.contractId },
      method_name: body.method,
      args,
    },
  };
  return { glo: parseMapped(document, pointers), pointers };
}

/** Creates the send request of a contract call or a ledger call. */
export function alternativeRequest(
  { service, plugin }: z.output<typeof optionsSchema>,
  glo: Glo,
  ledgerId?: string,
): SendRequest {
  const pointers = { ...sendingPointers('/options/service'), deadline: '', ledgerId: '/ledgerId' };
  return {
    ...sendRequest(glo, service, pointers),
    ...(ledgerId === undefined ? {} : { ledgerId }),
    ...(plugin === undefined || plugin === null || plugin === '' ? {} : { pluginId: plugin }),
  };
}

/** Parses a document as a GLO. @throws Problem with pointers into the request */
export function parseMapped(document: unknown, pointers: PointerMap): Glo {
  try {
    return parseGlo(document, { pointer: '/glo' });
  } catch (error) {
    throw error instanceof GloError ? remapProblem(toProblem(error), pointers) : error;
  }
}
