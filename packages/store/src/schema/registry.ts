import { sql } from 'drizzle-orm';
import type { Dialect } from './dialect.ts';

/** Registered records: ledgers with nodes and explorers, plugins, contract groups and contracts, templates, tokens. */
export function registryTables(d: Dialect) {
  return {
    ledger: d.table(
      'ledger',
      {
        /** Uid of the record and of its resource. */
        uid: d.text('uid').primaryKey(),
        /** Numeric id in deprecated records. */
        id: d.int('id').notNull(),
        ledgerId: d.text('ledger_id').notNull(),
        /** Owning project; null if the deployer owns the ledger, so that every project can use it. */
        projectId: d.text('project_id'),
        /**
         * Scope within which the id is unique: uid of the ledger's project, or of the system if the deployer
         * owns the ledger.
         */
        scope: d.text('scope').notNull(),
        name: d.text('name').notNull(),
        /** Kind of ledger, as the deployer named it. */
        type: d.text('type').notNull(),
        featured: d.bool('featured').notNull(),
        technology: d.text('technology').notNull(),
        active: d.bool('active').notNull(),
        /** JSON object. */
        properties: d.text('properties').notNull(),
        /** JSON object of the secret properties, sealed with the master key. */
        secrets: d.bytes('secrets'),
        /** Value of the registry's counter when the ledger or one of its nodes last changed. */
        revision: d.int('revision').notNull(),
        createdAt: d.int('created_at').notNull(),
        updatedAt: d.int('updated_at').notNull(),
      },
      (t) => [d.uniqueIndex('ledger_scope_id').on(t.scope, t.ledgerId)],
    ),

    node: d.table(
      'node',
      {
        uid: d.text('uid').primaryKey(),
        id: d.int('id').notNull(),
        nodeId: d.text('node_id').notNull(),
        /** Scope of its ledger. */
        scope: d.text('scope').notNull(),
        ledgerUid: d.text('ledger_uid').notNull(),
        name: d.text('name').notNull(),
        uri: d.text('uri').notNull(),
        client: d.text('client'),
        /** JSON object. */
        properties: d.text('properties').notNull(),
        /** JSON object of the secret properties, sealed with the master key. */
        secrets: d.bytes('secrets'),
        /** The ledger's default node has the lowest position. */
        position: d.int('position').notNull(),
        createdAt: d.int('created_at').notNull(),
      },
      (t) => [
        d.uniqueIndex('node_scope_id').on(t.scope, t.nodeId),
        d.index('node_ledger').on(t.ledgerUid, t.position),
      ],
    ),

    explorer: d.table(
      'explorer',
      {
        /** Uid of the record and of its resource. */
        uid: d.text('uid').primaryKey(),
        id: d.int('id').notNull(),
        explorerId: d.text('explorer_id').notNull(),
        scope: d.text('scope').notNull(),
        ledgerUid: d.text('ledger_uid').notNull(),
        nodeUid: d.text('node_uid'),
        name: d.text('name').notNull(),
        /** JSON array of {type, properties: {name: value}}. */
        implementations: d.text('implementations').notNull(),
        createdAt: d.int('created_at').notNull(),
        updatedAt: d.int('updated_at').notNull(),
      },
      (t) => [
        d.uniqueIndex('explorer_scope_id').on(t.scope, t.explorerId),
        d.index('explorer_ledger').on(t.ledgerUid, t.id),
        d.index('explorer_node').on(t.nodeUid),
      ],
    ),

    plugin: d.table(
      'plugin',
      {
        /** Uid of the record and of its resource. */
        uid: d.text('uid').primaryKey(),
        id: d.int('id').notNull(),
        pluginId: d.text('plugin_id').notNull(),
        /**
         * Uid of the plugin's project, or of the system if the deployer owns the plugin, so that every
         * project can use it.
         */
        scope: d.text('scope').notNull(),
        name: d.text('name').notNull(),
        url: d.text('url').notNull(),
        active: d.bool('active').notNull(),
        pluginType: d.text('plugin_type').notNull(),
        /** Version of the adapter interface. */
        implementationVersion: d.text('implementation_version').notNull(),
        /** Semantic version of the plugin itself; null if it is unknown. */
        version: d.text('version'),
        /**
         * JSON list of the ids of the ledgers to which the plugin is restricted, as last reported by its
         * module; null for all ledgers.
         */
        ledgers: d.text('ledgers'),
        /** `sha512-…` of the module. */
        integrity: d.text('integrity'),
        /** Sealed credentials that authenticate this server to a remote plugin, bound to its URL. */
        credentials: d.bytes('credentials'),
        /** Value of the plugins' counter when this plugin last changed. */
        revision: d.int('revision').notNull(),
        /**
         * Value of the plugins' counter when the module last had to be reloaded (replaced, or activated
         * again); null if it never had to be.
         */
        moduleRevision: d.int('module_revision'),
        createdAt: d.int('created_at').notNull(),
        updatedAt: d.int('updated_at').notNull(),
      },
      (t) => [d.uniqueIndex('plugin_scope_id').on(t.scope, t.pluginId)],
    ),

    pluginDescription: d.table('plugin_description', {
      pluginUid: d.text('plugin_uid').primaryKey(),
      /**
       * URL and integrity of the described module. The description is valid as long as the plugin still has
       * both.
       */
      url: d.text('url').notNull(),
      integrity: d.text('integrity'),
      /** JSON object, in the runtime's format. */
      description: d.text('description').notNull(),
    }),

    pluginTag: d.table(
      'plugin_tag',
      {
        id: d.int('id').primaryKey(),
        pluginUid: d.text('plugin_uid').notNull(),
        tag: d.text('tag').notNull(),
      },
      (t) => [
        d.uniqueIndex('plugin_tag_once').on(t.pluginUid, t.tag),
        d.index('plugin_tag_tag').on(t.tag, t.pluginUid),
      ],
    ),

    contractGroup: d.table(
      'contract_group',
      {
        groupId: d.text('group_id').primaryKey(),
        projectId: d.text('project_id').notNull(),
        name: d.text('name').notNull(),
        createdAt: d.int('created_at').notNull(),
      },
      (t) => [d.index('contract_group_project').on(t.projectId, t.createdAt)],
    ),

    contract: d.table(
      'contract',
      {
        /** Uid of the record and of its resource. */
        uid: d.text('uid').primaryKey(),
        /** Numeric id in deprecated records. */
        id: d.int('id').notNull(),
        contractId: d.text('contract_id').notNull(),
        groupId: d.text('group_id').notNull(),
        projectId: d.text('project_id').notNull(),
        name: d.text('name').notNull(),
        /** The interface as registered; empty if the contract has none. */
        interface: d.text('interface').notNull(),
        /** The interface as normalized by the adapter. */
        parsedInterface: d.text('parsed_interface').notNull(),
        ledgerUid: d.text('ledger_uid').notNull(),
        ledgerId: d.text('ledger_id').notNull(),
        nativeReference: d.text('native_reference').notNull(),
        /** The template version from which it was created. */
        specificationUid: d.text('specification_uid'),
        /** JSON array of names. */
        types: d.text('types').notNull(),
        createdAt: d.int('created_at').notNull(),
      },
      (t) => [
        d.uniqueIndex('contract_project_id').on(t.projectId, t.contractId),
        d.index('contract_by_group').on(t.groupId, t.createdAt),
        d.index('contract_ledger').on(t.ledgerUid),
        // For case-insensitive searches.
        d.index('contract_search_name').on(t.projectId, sql`lower(name)`),
        d.index('contract_search_reference').on(t.projectId, sql`lower(native_reference)`),
      ],
    ),

    contractProperty: d.table(
      'contract_property',
      {
        id: d.int('id').primaryKey(),
        contractUid: d.text('contract_uid').notNull(),
        name: d.text('name').notNull(),
        /** JSON. */
        value: d.text('value').notNull(),
      },
      (t) => [d.uniqueIndex('contract_property_once').on(t.contractUid, t.name)],
    ),

    /** Numeric ids of names in deprecated records: types of properties and of contracts. */
    namedType: d.table(
      'named_type',
      {
        id: d.int('id').primaryKey(),
        scope: d.text('scope').notNull(),
        name: d.text('name').notNull(),
      },
      (t) => [d.uniqueIndex('named_type_once').on(t.scope, t.name)],
    ),

    ledgerToken: d.table(
      'ledger_token',
      {
        /** Uid of the record and of its resource. */
        uid: d.text('uid').primaryKey(),
        id: d.int('id').notNull(),
        tokenId: d.text('token_id').notNull(),
        projectId: d.text('project_id').notNull(),
        contractUid: d.text('contract_uid').notNull(),
        name: d.text('name').notNull(),
        ticker: d.text('ticker').notNull(),
        createdAt: d.int('created_at').notNull(),
      },
      (t) => [
        d.uniqueIndex('ledger_token_project_id').on(t.projectId, t.tokenId),
        d.index('ledger_token_contract').on(t.contractUid),
      ],
    ),

    template: d.table(
      'template',
      {
        uid: d.text('uid').primaryKey(),
        id: d.int('id').notNull(),
        templateId: d.text('template_id').notNull(),
        projectId: d.text('project_id').notNull(),
        name: d.text('name').notNull(),
        description: d.text('description'),
        createdAt: d.int('created_at').notNull(),
      },
      (t) => [d.uniqueIndex('template_project_id').on(t.projectId, t.templateId)],
    ),

    /** One version (tag) of a template: compiled output, or sources to compile. */
    specification: d.table(
      'specification',
      {
        uid: d.text('uid').primaryKey(),
        id: d.int('id').notNull(),
        templateUid: d.text('template_uid').notNull(),
        tag: d.text('tag').notNull(),
        description: d.text('description'),
        technology: d.text('technology').notNull(),
        language: d.text('language'),
        compilerVersion: d.text('compiler_version'),
        /** compilationSpecification: JSON as submitted, or as written by the service's compiler. */
        compilation: d.text('compilation').notNull(),
        status: d.text('status').notNull(),
        /** Normalized interface text. */
        interface: d.text('interface').notNull(),
        /** Creation code, `0x` hex. */
        code: d.text('code').notNull(),
        /** SHA-256 of the code and interface, hex. */
        checksum: d.text('checksum').notNull(),
        /** Sources for the service's compiler: Standard JSON. */
        source: d.text('source'),
        /** The contract to compile: `File.sol:Name`. */
        target: d.text('target'),
        /** Messages from the service's compiler: JSON array. */
        messages: d.text('messages').notNull(),
        hasPreprocessing: d.bool('has_preprocessing').notNull(),
        /** Number of compilations started. */
        attempts: d.int('attempts').notNull(),
        /**
         * Earliest time of the next compilation. The server that claims the row moves the time forward, so
         * that only one server compiles it.
         */
        dueAt: d.int('due_at').notNull(),
        createdAt: d.int('created_at').notNull(),
        updatedAt: d.int('updated_at').notNull(),
      },
      (t) => [
        d.uniqueIndex('specification_tag').on(t.templateUid, t.tag),
        d.index('specification_pending').on(t.dueAt, t.id).where(sql`status = 'PENDING'`),
      ],
    ),
  };
}
