import type { AdapterDefinition } from '@ledger-ops/adapter';
import type { OperationType } from '@ledger-ops/glo-core';
import type { ConformanceHarness, FaultHooks, SampleOperations } from './harness.ts';
import type { Stage } from './stage.ts';

/**
 * Name of a requirement that a check can prove only by reading the ledger itself, because an adapter could report
 * effects that do not exist.
 */
export const effectsOnTheLedger = 'effects on the ledger';

/** A condition under which a check can run. */
export interface Need {
  /** The required capability, if the condition is about a capability. */
  power?: Power;
  /** The operation type, if the condition requires that the adapter declares it. */
  operation?: OperationType;
  /** Returns why the condition is not met; undefined if it is. */
  missing(definition: AdapterDefinition, harness: ConformanceHarness): string | undefined;
}

/** One conformance check of the adapter interface. */
export interface AdapterCheck {
  /** The statement that the check proves. Unique among the checks. */
  name: string;
  needs: readonly Need[];
  /** A requirement on every adapter that only this check proves, as the report names it. */
  proves?: string;
  /** @throws AssertionError if the adapter fails the check */
  run(stage: Stage): Promise<void>;
}

/** Requires a sample operation of the harness. */
export function sample(name: keyof SampleOperations): Need {
  return {
    missing: (_, { samples }) =>
      samples[name] === undefined ? `the harness has no sample '${name}'` : undefined,
  };
}

/** Requires a hook of the harness. */
export function hook(name: keyof FaultHooks): Need {
  return {
    missing: (_, { hooks }) =>
      hooks?.[name] === undefined ? `the harness has no hook '${name}'` : undefined,
  };
}

/** Capabilities that checks can depend on. */
export type Power =
  | ('coSigners' | 'replacement' | 'onDemandReplacement' | 'raisesExpired')
  | ('emulation' | 'lookup' | 'balance' | 'contractEvents' | 'listsTransactions');

/** Requires that the adapter declares the capability. */
export function capability(name: Power): Need {
  return {
    power: name,
    missing: ({ capabilities }) =>
      capabilities[name] === true ? undefined : `the adapter does not declare the capability '${name}'`,
  };
}

/** Requires that the adapter declares the operation type. */
export function declaredOperation(type: OperationType): Need {
  return {
    operation: type,
    missing: ({ capabilities: { operations } }) =>
      operations.includes(type) ? undefined : `the adapter does not declare ${type}`,
  };
}

/** Requires that the adapter does not declare the capability. */
export function withoutCapability(name: Power): Need {
  return {
    missing: ({ capabilities }) =>
      capabilities[name] === true ? `the adapter declares the capability '${name}'` : undefined,
  };
}

/** Requires a ledger with sequences, or a ledger without. */
export function sequences(kind: 'account' | 'none'): Need {
  return {
    missing: ({ capabilities }) =>
      capabilities.sequence === kind ? undefined : `the adapter's sequence is '${capabilities.sequence}'`,
  };
}

/** Requires at least one sample operation that can be executed. */
export const anyOperation: Need = {
  missing: (_, { samples: { transfer, call, deploy } }) =>
    transfer === undefined && call === undefined && deploy === undefined
      ? 'the harness has no executable sample'
      : undefined,
};

/** Requires a sample contract call that `check` can validate against an interface. */
export const callWithInterface: Need = {
  missing: (_, { samples: { call } }) =>
    call?.method === undefined || call.contract.interface === undefined
      ? "the harness's sample 'call' does not name both a method and an interface"
      : undefined,
};

/** Requires sample native content of this kind. */
export function contentThat(says: keyof NonNullable<SampleOperations['content']>): Need {
  return {
    missing: (_, { samples: { content } }) =>
      content?.[says] === undefined ? `the harness has no sample 'content.${says}'` : undefined,
  };
}

/** Requires at least one operation type that the adapter does not declare. */
export const undeclaredOperation: Need = {
  missing: ({ capabilities: { operations } }) =>
    operations.length < 3 ? undefined : 'the adapter declares every operation',
};

/** Returns the reasons why a check cannot run with this harness; empty if it can run. */
export function missingNeeds(
  check: AdapterCheck,
  definition: AdapterDefinition,
  harness: ConformanceHarness,
): string[] {
  return check.needs.flatMap((need) => need.missing(definition, harness) ?? []);
}

/** Returns what a check proves: declared capabilities and operations, and requirements on every adapter. */
export function provenBy({ needs, proves }: AdapterCheck, { capabilities }: AdapterDefinition): string[] {
  const declared = needs.flatMap(({ power, operation }): string[] => [
    ...(power !== undefined && capabilities[power] === true ? [power] : []),
    ...(operation !== undefined && capabilities.operations.includes(operation) ? [operation] : []),
  ]);
  return proves === undefined ? declared : [...declared, proves];
}
