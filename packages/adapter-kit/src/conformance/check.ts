import type { AdapterDefinition } from '@ledger-ops/adapter';
import type { ConformanceHarness, FaultHooks, SampleOperations } from './harness.ts';
import type { Stage } from './stage.ts';

/** Something that a check cannot do without. */
export interface Need {
  /** The capability that it is. */
  power?: Power;
  /** Why it is not there; undefined when it is. */
  missing(definition: AdapterDefinition, harness: ConformanceHarness): string | undefined;
}

/** One clause of the contract, and how it is proved. */
export interface AdapterCheck {
  /** A sentence about behaviour; unique. */
  name: string;
  needs: readonly Need[];
  /** @throws AssertionError when the adapter does not keep the clause. */
  run(stage: Stage): Promise<void>;
}

/** A sample operation of the harness. */
export function sample(name: keyof SampleOperations): Need {
  return {
    missing: (_, { samples }) =>
      samples[name] === undefined ? `the harness has no sample '${name}'` : undefined,
  };
}

/** A hook of the harness. */
export function hook(name: keyof FaultHooks): Need {
  return {
    missing: (_, { hooks }) =>
      hooks?.[name] === undefined ? `the harness has no hook '${name}'` : undefined,
  };
}

/** A capability that clauses are about. */
export type Power =
  | ('coSigners' | 'replacement' | 'onDemandReplacement')
  | ('emulation' | 'lookup' | 'balance' | 'contractEvents');

/** A declared capability. */
export function capability(name: Power): Need {
  return {
    power: name,
    missing: ({ capabilities }) =>
      capabilities[name] === true ? undefined : `the adapter does not declare the capability '${name}'`,
  };
}

/** A capability that is not declared. */
export function withoutCapability(name: Power): Need {
  return {
    missing: ({ capabilities }) =>
      capabilities[name] === true ? `the adapter declares the capability '${name}'` : undefined,
  };
}

/** Sequences, or their absence. */
export function sequences(kind: 'account' | 'none'): Need {
  return {
    missing: ({ capabilities }) =>
      capabilities.sequence === kind ? undefined : `the adapter's sequence is '${capabilities.sequence}'`,
  };
}

/** Some operation that can be executed. */
export const anyOperation: Need = {
  missing: (_, { samples: { transfer, call, deploy } }) =>
    transfer === undefined && call === undefined && deploy === undefined
      ? 'the harness has no sample that can be executed'
      : undefined,
};

/** A contract call that `check` can hold against an interface. */
export const callWithInterface: Need = {
  missing: (_, { samples: { call } }) =>
    call?.method === undefined || call.contract.interface === undefined
      ? "the harness's sample 'call' does not name both a method and an interface"
      : undefined,
};

/** Native content that says one of these things. */
export function contentThat(says: keyof NonNullable<SampleOperations['content']>): Need {
  return {
    missing: (_, { samples: { content } }) =>
      content?.[says] === undefined ? `the harness has no sample 'content.${says}'` : undefined,
  };
}

/** An operation type that is not declared. */
export const undeclaredOperation: Need = {
  missing: ({ capabilities: { operations } }) =>
    operations.length < 3 ? undefined : 'the adapter declares every operation',
};

/** Why a check cannot run here; empty when it can. */
export function missingNeeds(
  check: AdapterCheck,
  definition: AdapterDefinition,
  harness: ConformanceHarness,
): string[] {
  return check.needs.flatMap((need) => need.missing(definition, harness) ?? []);
}

/** Capabilities that an adapter declares and that a check would prove. */
export function provenBy(check: AdapterCheck, { capabilities }: AdapterDefinition): Power[] {
  return check.needs.flatMap(({ power }) =>
    power !== undefined && capabilities[power] === true ? power : [],
  );
}
