import { z } from '@hono/zod-openapi';
import type { ContractMethod } from '@ledger-ops/adapter';
import { invalidRequest, type ProblemIssue } from '@ledger-ops/base';
import { currentGloVersion, type Glo, gloLimits } from '@ledger-ops/glo-core';
import type { ContractRecord } from '@ledger-ops/registry';
import type { SendRequest } from '@ledger-ops/runtime';
import type { PointerMap } from '../../http/problems/pointers.ts';
import { time } from '../../http/schemas.ts';
import { argumentText, parseMapped } from '../operations/alternative-body.ts';
import { passwordMember, sendingMembers, sendRequest } from '../operations/send-body.ts';

/** Body of a method call. */
export const methodCallSchema = z
  .strictObject({
    arguments: z
      .union([z.record(z.string().max(256), z.unknown()), z.array(z.unknown()).max(gloLimits.args)])
      .optional()
      .openapi({
        description:
          'Arguments by their names in the contract’s interface; an array, in order, if names are missing.',
      }),
    ...sendingMembers,
    walletId: sendingMembers.walletId.optional(),
    walletPassword: passwordMember.optional(),
    deadline: time().optional(),
    meta: z
      .record(z.string().max(256), z.unknown())
      .optional()
      .openapi({ description: 'Meta of the GLO, such as a fee.' }),
  })
  .openapi('ContractMethodCall');

type MethodCallBody = z.output<typeof methodCallSchema>;

/** Arguments as strings in the method's order, and their pointers in the body. */
export interface MethodCall {
  readonly args: readonly string[];
  readonly places: readonly string[];
  readonly meta: Record<string, unknown> | undefined;
}

/** Whether a method accepts arguments by name: all names are distinct and not empty. */
export function takesNames({ inputs }: ContractMethod): boolean {
  const names = inputs.map(({ name }) => name);
  return names.every((name) => name !== '') && new Set(names).size === names.length;
}

/** Orders the arguments. The plugin validates their values. @throws Problem with pointers into the body */
export function readMethodCall(body: MethodCallBody, method: ContractMethod): MethodCall {
  const given = body.arguments ?? {};
  const { inputs } = method;
  const places = inputs.map(({ name }, index) =>
    Array.isArray(given) ? `/arguments/${index}` : `/arguments/${escaped(name)}`,
  );
  const values = Array.isArray(given) ? inOrder(given, method) : byName(given, method);
  return {
    args: values.map((value, index) => argumentText(value, places[index] ?? '/arguments')),
    places,
    meta: body.meta,
  };
}

function inOrder(given: readonly unknown[], { inputs, signature }: ContractMethod): readonly unknown[] {
  if (given.length === inputs.length) return given;
  const detail = `must contain ${inputs.length} ${inputs.length === 1 ? 'argument' : 'arguments'}: ${signature}`;
  throw invalidRequest([{ pointer: '/arguments', detail }]);
}

function byName(given: Record<string, unknown>, method: ContractMethod): readonly unknown[] {
  const { inputs, signature } = method;
  if (!takesNames(method)) {
    const detail = `must be an array, because not every argument of ${signature} has a unique name`;
    throw invalidRequest([{ pointer: '/arguments', detail }]);
  }
  const names = new Set(inputs.map(({ name }) => name));
  const issues: ProblemIssue[] = [
    ...Object.keys(given)
      .filter((name) => !names.has(name))
      .map((name) => ({
        pointer: `/arguments/${escaped(name)}`,
        detail: `is not an argument of ${signature}`,
      })),
    ...[...names]
      .filter((name) => !Object.hasOwn(given, name))
      .map((name) => ({ pointer: `/arguments/${escaped(name)}`, detail: 'is required' })),
  ];
  if (issues.length > 0) throw invalidRequest(issues);
  return inputs.map(({ name }) => given[name]);
}

/** Converts the call to a GLO of type `contract_call`. */
export function methodGlo(
  { contractId }: Pick<ContractRecord, 'contractId'>,
  { signature }: ContractMethod,
  { args, places, meta }: MethodCall,
): { glo: Glo; pointers: PointerMap } {
  const pointers: [string, string, ('whole' | 'named')?][] = [
    ...places.map((place, index): [string, string] => [`/glo/options/args/${index}`, place]),
    ['/glo/options/args', '/arguments'],
    ['/glo/options/method_name', 'method'],
    ['/glo/options/contract_instance', 'smartContractId', 'whole'],
    ['/glo/meta', '/meta'],
    ['/glo', '', 'named'],
  ];
  const document = {
    version: currentGloVersion,
    type: 'contract_call',
    options: {
      contract_instance: { lookup_service: { type: 'service', value: 'service' }, resource: contractId },
      method_name: signature,
      args,
    },
    ...(meta === undefined ? {} : { meta }),
  };
  return { glo: parseMapped(document, pointers), pointers };
}

/** Creates the send request. @throws Problem without a wallet and its password */
export function sendRequestOf(body: MethodCallBody, glo: Glo): SendRequest {
  const { walletId, walletPassword } = body;
  if (walletId === undefined || walletPassword === undefined) {
    const detail = 'is required, because the method changes state';
    throw invalidRequest([
      ...(walletId === undefined ? [{ pointer: '/walletId', detail }] : []),
      ...(walletPassword === undefined ? [{ pointer: '/walletPassword', detail }] : []),
    ]);
  }
  return sendRequest(glo, { ...body, walletId, walletPassword });
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
