import { strict as assert } from 'node:assert';
import { interfaceVersion, readDescription } from '@ledger-ops/adapter';
import { isTechnologyName } from '@ledger-ops/glo-core';
import { type AdapterCheck, sample } from '../check.ts';
import { misfitsOf } from '../misfits.ts';
import { assertRefused } from '../problem.ts';

const semver = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/;
const name = /^[a-z0-9]+(?:[-.][a-z0-9]+)*$/;
const known = ['transfer', 'contract_call', 'contract_deploy'];

/** The part of a version within which interfaces are compatible: the major, or the minor while it is 0. */
function line(version: string): string {
  const [major, minor] = version.split('.');
  return major === '0' ? `0.${minor}` : `${major}`;
}

/** The clauses of a definition's members. */
export const definitionChecks: readonly AdapterCheck[] = [
  {
    name: 'the definition names itself, its technology and its versions in their forms',
    needs: [],
    async run({ definition, harness }) {
      assert.match(definition.name, name, 'name is lower-case words, joined by - or .');
      assert.ok(
        isTechnologyName(definition.technology),
        'technology is 1 to 64 lower-case letters, digits and hyphens',
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
    name: 'the definition was written for an interface version that this package describes',
    needs: [],
    async run({ definition }) {
      assert.equal(
        line(definition.interfaceVersion),
        line(interfaceVersion),
        `the adapter was written for ${definition.interfaceVersion}, this kit is for ${interfaceVersion}`,
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
    name: 'examples and defaults of the description fit the schemas that they stand in',
    needs: [],
    async run({ definition: { description } }) {
      assert.deepStrictEqual(
        misfitsOf(description),
        [],
        'forms that are made of it begin with what is refused',
      );
    },
  },
  {
    name: 'the definition is frozen',
    needs: [],
    async run({ definition }) {
      assert.ok(Object.isFrozen(definition), 'make the definition with defineAdapter()');
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
        assert.ok(known.includes(operation), `${operation} is no operation`);
      assert.ok(sequence === 'account' || sequence === 'none', `sequence ${sequence} is unknown`);
      for (const power of ['replacement', 'emulation', 'lookup', 'balance'] as const) {
        assert.equal(typeof capabilities[power], 'boolean', `${power} is declared`);
      }
      assert.ok(
        !capabilities.replacement || sequence === 'account',
        'a transaction without a sequence cannot be replaced',
      );
      assert.ok(
        capabilities.onDemandReplacement !== true || sequence === 'account',
        'a transaction without a sequence cannot be replaced when it is needed',
      );
      assert.deepStrictEqual(structuredClone(capabilities), capabilities, 'capabilities are plain data');
    },
  },
  {
    name: 'a contract interface is read into methods, and its normalised text reads the same',
    needs: [sample('interfaces')],
    async run({ definition, sample: get }) {
      for (const text of get('interfaces').good) {
        const read = await definition.readInterface(text);
        assert.deepStrictEqual(structuredClone(read), read, 'an interface is plain data');
        assert.ok(read.methods.length > 0, 'a sample interface has methods');
        const signatures = read.methods.map((method) => method.signature);
        assert.equal(new Set(signatures).size, signatures.length, 'signatures are unique within a contract');
        for (const method of read.methods) {
          assert.ok(method.signature.startsWith(method.name), `${method.signature} begins with the name`);
          assert.equal(typeof method.view, 'boolean', `${method.signature} says whether it is a view`);
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
    name: 'a text that is no contract interface is refused as an invalid argument, with issues',
    needs: [sample('interfaces')],
    async run({ definition, sample: get }) {
      for (const text of ['', '{', ...get('interfaces').bad]) {
        await assertRefused(definition.readInterface(text), `readInterface(${JSON.stringify(text)})`, {
          codes: ['invalid-argument'],
          phase: 'interface',
          issues: true,
        });
      }
    },
  },
];
