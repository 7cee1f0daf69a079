import { strict as assert } from 'node:assert';
import { interfaceVersion, readDescription } from '@ledger-ops/adapter';
import { isTechnologyName } from '@ledger-ops/glo-core';
import { type AdapterCheck, sample } from '../check.ts';
import { misfitsOf } from '../misfits.ts';
import { assertRefused } from '../problem.ts';

const semver = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/;
const name = /^[a-z0-9]+(?:[-.][a-z0-9]+)*$/;
const known = ['transfer', 'contract_call', 'contract_deploy'];

/** The part of a version that decides compatibility: the major, or the minor while the major is 0. */
function line(version: string): string {
  const [major, minor] = version.split('.');
  return major === '0' ? `0.${minor}` : `${major}`;
}

/** Clauses about the members of a definition. */
export const definitionChecks: readonly AdapterCheck[] = [
  {
    name: 'the definition has a valid name, technology and versions',
    needs: [],
    async run({ definition, harness }) {
      assert.match(definition.name, name, 'name is lowercase words, joined by - or .');
      assert.ok(
        isTechnologyName(definition.technology),
        'technology is 1 to 64 lowercase letters, digits and hyphens',
      );
      assert.match(definition.version, semver, 'version is a semantic version');
      assert.match(definition.interfaceVersion, semver, 'interfaceVersion is a semantic version');
      assert.equal(
        harness.ledger.technology,
        definition.technology,
        "the ledger's technology is the adapter's",
      );
      assert.ok(
        ['secp256k1', 'p256', 'ed25519'].includes(definition.keyType),
        `keyType ${definition.keyType} is unknown`,
      );
    },
  },
  {
    name: 'the definition was written for an interface version that this package supports',
    needs: [],
    async run({ definition }) {
      assert.equal(
        line(definition.interfaceVersion),
        line(interfaceVersion),
        `the adapter was written for ${definition.interfaceVersion}, but this kit is for ${interfaceVersion}`,
      );
    },
  },
  {
    name: 'the description of the technology can be read, and is plain JSON',
    needs: [],
    async run({ definition: { name, technology, description } }) {
      const read = readDescription(name, technology, description);
      assert.deepStrictEqual(JSON.parse(JSON.stringify(read)), description, 'a description is plain JSON');
    },
  },
  {
    name: 'examples and defaults of the description match their schemas',
    needs: [],
    async run({ definition: { description } }) {
      assert.deepStrictEqual(misfitsOf(description), [], 'forms built from it start with what is rejected');
    },
  },
  {
    name: 'the definition is frozen',
    needs: [],
    async run({ definition }) {
      assert.ok(Object.isFrozen(definition), 'create the definition with defineAdapter()');
    },
  },
  {
    name: 'the capabilities are complete and do not contradict each other',
    needs: [],
    async run({ definition: { capabilities } }) {
      const { operations, sequence } = capabilities;
      assert.ok(operations.length > 0, 'at least one operation is declared');
      assert.equal(new Set(operations).size, operations.length, 'no operation is declared twice');
      for (const operation of operations)
        assert.ok(known.includes(operation), `${operation} is not an operation`);
      assert.ok(sequence === 'account' || sequence === 'none', `sequence ${sequence} is unknown`);
      for (const power of ['replacement', 'emulation', 'lookup', 'balance'] as const) {
        assert.equal(typeof capabilities[power], 'boolean', `${power} is declared`);
      }
      assert.deepStrictEqual(structuredClone(capabilities), capabilities, 'capabilities are plain data');
    },
  },
  {
    name: 'a contract interface is read into methods, and its normalized text reads the same',
    needs: [sample('interfaces')],
    async run(stage) {
      const { definition } = stage;
      for (const text of stage.sample('interfaces').good) {
        const read = await definition.readInterface(text);
        assert.deepStrictEqual(structuredClone(read), read, 'an interface is plain data');
        assert.ok(read.methods.length > 0, 'a sample interface has methods');
        const signatures = read.methods.map((method) => method.signature);
        assert.equal(new Set(signatures).size, signatures.length, 'signatures are unique within a contract');
        for (const method of read.methods) {
          assert.ok(method.signature.startsWith(method.name), `${method.signature} starts with the name`);
          assert.equal(typeof method.view, 'boolean', `${method.signature} has a view flag`);
        }
        for (const { name, type } of read.constructorInputs ?? []) {
          assert.ok(
            typeof name === 'string' && typeof type === 'string',
            'arguments of a deployment are texts',
          );
        }
        assert.deepStrictEqual(await definition.readInterface(read.interface), read, 'reading it again');
      }
    },
  },
  {
    name: 'a text that is not a contract interface is rejected as an invalid argument, with issues',
    needs: [sample('interfaces')],
    async run(stage) {
      const { definition } = stage;
      for (const text of ['', '{', ...stage.sample('interfaces').bad]) {
        await assertRefused(definition.readInterface(text), `readInterface(${JSON.stringify(text)})`, {
          codes: ['invalid-argument'],
          phase: 'interface',
          issues: true,
        });
      }
    },
  },
];
