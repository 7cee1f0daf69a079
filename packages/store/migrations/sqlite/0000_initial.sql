CREATE TABLE `action` (
	`id` text PRIMARY KEY NOT NULL,
	`given_id` text,
	`project_id` text NOT NULL,
	`app_id` text NOT NULL,
	`caller` text NOT NULL,
	`wallet_uid` text NOT NULL,
	`wallet_id` text NOT NULL,
	`ledger_uid` text NOT NULL,
	`ledger_id` text NOT NULL,
	`chain` text NOT NULL,
	`shard` integer NOT NULL,
	`address` text NOT NULL,
	`intent` text NOT NULL,
	`tag` text,
	`context` text,
	`status` text NOT NULL,
	`stage` text NOT NULL,
	`operation` text NOT NULL,
	`overrides` text,
	`plan` text NOT NULL,
	`plugin` text,
	`cost` text NOT NULL,
	`sequence` integer,
	`blockers` integer NOT NULL,
	`min_height` integer NOT NULL,
	`waiting` text,
	`waiting_code` text,
	`waiting_since` integer,
	`change` text,
	`change_cap` text,
	`problem` text,
	`locator` text,
	`contract_address` text,
	`height` integer,
	`block_time` integer,
	`fee` text,
	`details` text,
	`retracted` text,
	`retracted_at` integer,
	`deadline` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`ended_at` integer,
	`sent_at` integer,
	`receivers` text,
	`trace` text,
	`stored_bytes` integer,
	`request_key` text,
	`request_fingerprint` text,
	`request_position` integer
);
--> statement-breakpoint
CREATE INDEX `action_intent` ON `action` (`intent`,`project_id`,`created_at`,`id`,`wallet_uid`,`status`);
--> statement-breakpoint
CREATE INDEX `action_lane` ON `action` (`chain`,`shard`,`stage`,`created_at`,`id`) WHERE status = 'PENDING';
--> statement-breakpoint
CREATE INDEX `action_change` ON `action` (`chain`) WHERE status = 'PENDING' and change is not null;
--> statement-breakpoint
CREATE INDEX `action_project` ON `action` (`project_id`,`id`) WHERE stage <> '';
--> statement-breakpoint
CREATE INDEX `action_pending` ON `action` (`id`,`stage`,`waiting_code`,`project_id`,`ledger_id`,`wallet_uid`) WHERE status = 'PENDING';
--> statement-breakpoint
CREATE INDEX `action_failed` ON `action` (`id`) WHERE status = 'FAILED';
--> statement-breakpoint
CREATE INDEX `action_updated` ON `action` (`updated_at`,`id`);
--> statement-breakpoint
CREATE INDEX `action_tag` ON `action` (`project_id`,`tag`,`id`) WHERE tag is not null;
--> statement-breakpoint
CREATE INDEX `action_retracted` ON `action` (`ledger_id`) WHERE retracted_at is not null;
--> statement-breakpoint
CREATE UNIQUE INDEX `action_given` ON `action` (`given_id`,`project_id`) WHERE given_id is not null;
--> statement-breakpoint
CREATE UNIQUE INDEX `action_request` ON `action` (`request_key`,`request_position`) WHERE request_key is not null;
--> statement-breakpoint
CREATE TABLE `removed_action` (
	`project_id` text NOT NULL,
	`given_id` text NOT NULL,
	PRIMARY KEY(`project_id`, `given_id`)
);
--> statement-breakpoint
CREATE TABLE `deployment` (
	`action_id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`contract_id` text NOT NULL,
	`name` text
);
--> statement-breakpoint
CREATE INDEX `deployment_contract` ON `deployment` (`project_id`,`contract_id`);
--> statement-breakpoint
CREATE TABLE `action_dependency` (
	`action_id` text NOT NULL,
	`dependency_id` text NOT NULL,
	`position` integer NOT NULL,
	PRIMARY KEY(`action_id`, `dependency_id`)
);
--> statement-breakpoint
CREATE INDEX `action_dependency_reverse` ON `action_dependency` (`dependency_id`);
--> statement-breakpoint
CREATE TABLE `action_listing` (
	`id` text PRIMARY KEY NOT NULL,
	`party` text NOT NULL,
	`shown` text NOT NULL,
	`project_id` text NOT NULL,
	`ledger_uid` text NOT NULL,
	`ledger_id` text NOT NULL,
	`chain` text NOT NULL,
	`status` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `action_listing_party` ON `action_listing` (`party`);
--> statement-breakpoint
CREATE TABLE `action_listed` (
	`listing` text NOT NULL,
	`at` integer NOT NULL,
	`name` text NOT NULL,
	`action_id` text NOT NULL,
	PRIMARY KEY(`listing`, `at`, `name`, `action_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `action_tally` (
	`listing` text NOT NULL,
	`level` integer NOT NULL,
	`span` integer NOT NULL,
	`slot` integer NOT NULL,
	`n` integer NOT NULL,
	PRIMARY KEY(`listing`, `level`, `span`, `slot`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `action_summary` (
	`project_uid` text NOT NULL,
	`level` integer NOT NULL,
	`span` integer NOT NULL,
	`ledger_uid` text NOT NULL,
	`outcome` text NOT NULL,
	`duration` integer NOT NULL,
	`slot` integer NOT NULL,
	`n` integer NOT NULL,
	`fee_high` integer NOT NULL,
	`fee_low` integer NOT NULL,
	PRIMARY KEY(`level`, `span`, `project_uid`, `ledger_uid`, `outcome`, `duration`, `slot`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `attempt` (
	`tx_id` text NOT NULL,
	`action_id` text NOT NULL,
	`n` integer NOT NULL,
	`kind` text NOT NULL,
	`chain` text NOT NULL,
	`shard` integer NOT NULL,
	`address` text NOT NULL,
	`sequence` integer,
	`bytes` blob,
	`cost` text NOT NULL,
	`note` text,
	`valid_until` integer,
	`claims` text,
	`needs` text,
	`created_at` integer NOT NULL,
	`settled_at` integer,
	`height` integer,
	`reason` text,
	`sealed` blob,
	`secret` blob,
	PRIMARY KEY(`tx_id`, `chain`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `attempt_action` ON `attempt` (`action_id`,`n`);
--> statement-breakpoint
CREATE UNIQUE INDEX `attempt_sequence` ON `attempt` (`chain`,`address`,`sequence`,`n`);
--> statement-breakpoint
CREATE INDEX `attempt_kept` ON `attempt` (`chain`,`shard`,`settled_at`) WHERE bytes is not null;
--> statement-breakpoint
CREATE TABLE `claim` (
	`chain` text NOT NULL,
	`claim` text NOT NULL,
	`action_id` text NOT NULL,
	PRIMARY KEY(`chain`, `claim`)
);
--> statement-breakpoint
CREATE INDEX `claim_action` ON `claim` (`action_id`);
--> statement-breakpoint
CREATE TABLE `action_grant` (
	`action_id` text PRIMARY KEY NOT NULL,
	`sealed` blob NOT NULL,
	`secret` blob,
	`others` text
);
--> statement-breakpoint
CREATE TABLE `suspension` (
	`subject` text PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`scope` text NOT NULL,
	`reason` text NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`cause` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `suspension_id` ON `suspension` (`id`);
--> statement-breakpoint
CREATE TABLE `unknown_transaction` (
	`chain` text NOT NULL,
	`address` text NOT NULL,
	`name` text NOT NULL,
	`sequence` integer,
	`tx_id` text,
	`height` integer,
	`found_at` integer NOT NULL,
	PRIMARY KEY(`chain`, `address`, `name`)
);
--> statement-breakpoint
CREATE TABLE `compared_account` (
	`chain` text NOT NULL,
	`address` text NOT NULL,
	`height` integer NOT NULL,
	`compared_at` integer,
	`incomplete` text,
	PRIMARY KEY(`chain`, `address`)
);
--> statement-breakpoint
CREATE INDEX `compared_account_incomplete` ON `compared_account` (`address`) WHERE incomplete is not null;
--> statement-breakpoint
CREATE TABLE `action_release` (
	`action_id` text NOT NULL,
	`unknown_id` text NOT NULL,
	PRIMARY KEY(`action_id`, `unknown_id`)
);
--> statement-breakpoint
CREATE INDEX `action_release_unknown` ON `action_release` (`unknown_id`);
--> statement-breakpoint
CREATE TABLE `sequence` (
	`chain` text NOT NULL,
	`address` text NOT NULL,
	`next` integer NOT NULL,
	`removed` integer,
	PRIMARY KEY(`chain`, `address`)
);
--> statement-breakpoint
CREATE TABLE `lane` (
	`chain` text NOT NULL,
	`shard` integer NOT NULL,
	`owner` text NOT NULL,
	`epoch` integer NOT NULL,
	`expires_at` integer NOT NULL,
	PRIMARY KEY(`chain`, `shard`)
);
--> statement-breakpoint
CREATE TABLE `lane_server` (
	`chain` text NOT NULL,
	`owner` text NOT NULL,
	`expires_at` integer NOT NULL,
	PRIMARY KEY(`chain`, `owner`)
);
--> statement-breakpoint
CREATE TABLE `chain_mark` (
	`ledger_uid` text PRIMARY KEY NOT NULL,
	`chain` text NOT NULL,
	`height` integer NOT NULL,
	`hash` text NOT NULL,
	`settled_at` integer
);
--> statement-breakpoint
CREATE TABLE `chain_reset` (
	`chain` text PRIMARY KEY NOT NULL,
	`resets` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `idempotency` (
	`scope` text NOT NULL,
	`key` text NOT NULL,
	`fingerprint` text NOT NULL,
	`status` integer NOT NULL,
	`body` text,
	`organization_uid` text,
	`bytes` integer,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`scope`, `key`)
);
--> statement-breakpoint
CREATE INDEX `idempotency_age` ON `idempotency` (`created_at`);
--> statement-breakpoint
CREATE TABLE `wallet` (
	`uid` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`wallet_id` text NOT NULL,
	`ledger_uid` text NOT NULL,
	`ledger_id` text NOT NULL,
	`chain_id` text NOT NULL,
	`address` text NOT NULL,
	`material` text,
	`aliases` text,
	`renew_at` integer,
	`exclusive` integer DEFAULT 0 NOT NULL,
	`key_type` text NOT NULL,
	`public_key` blob NOT NULL,
	`sealed_secret` blob NOT NULL,
	`sealed_data_key` blob NOT NULL,
	`kdf` text NOT NULL,
	`key_version` integer NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `wallet_project_id` ON `wallet` (`project_id`,`wallet_id`);
--> statement-breakpoint
CREATE INDEX `wallet_address` ON `wallet` (`chain_id`,`address`);
--> statement-breakpoint
CREATE INDEX `wallet_search_id` ON `wallet` (`project_id`,lower(wallet_id));
--> statement-breakpoint
CREATE INDEX `wallet_search_address` ON `wallet` (`project_id`,lower(address));
--> statement-breakpoint
CREATE TABLE `wallet_draft` (
	`uid` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`wallet_id` text NOT NULL,
	`ledger_uid` text NOT NULL,
	`key_type` text NOT NULL,
	`public_key` blob NOT NULL,
	`sealed_secret` blob NOT NULL,
	`sealed_data_key` blob NOT NULL,
	`kdf` text NOT NULL,
	`key_version` integer NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `wallet_draft_project_id` ON `wallet_draft` (`project_id`,`wallet_id`);
--> statement-breakpoint
CREATE INDEX `wallet_draft_created` ON `wallet_draft` (`created_at`);
--> statement-breakpoint
CREATE TABLE `wallet_throttle` (
	`key` text PRIMARY KEY NOT NULL,
	`points` integer NOT NULL,
	`blocked_until` integer NOT NULL,
	`right_at` integer,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `wallet_throttle_expires` ON `wallet_throttle` (`expires_at`);
--> statement-breakpoint
CREATE TABLE `ledger` (
	`uid` text PRIMARY KEY NOT NULL,
	`id` integer NOT NULL,
	`ledger_id` text NOT NULL,
	`project_id` text,
	`scope` text NOT NULL,
	`name` text NOT NULL,
	`type` text NOT NULL,
	`featured` integer NOT NULL,
	`technology` text NOT NULL,
	`active` integer NOT NULL,
	`properties` text NOT NULL,
	`secrets` blob,
	`revision` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `ledger_scope_id` ON `ledger` (`scope`,`ledger_id`);
--> statement-breakpoint
CREATE TABLE `node` (
	`uid` text PRIMARY KEY NOT NULL,
	`id` integer NOT NULL,
	`node_id` text NOT NULL,
	`scope` text NOT NULL,
	`ledger_uid` text NOT NULL,
	`name` text NOT NULL,
	`uri` text NOT NULL,
	`client` text,
	`properties` text NOT NULL,
	`secrets` blob,
	`position` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `node_scope_id` ON `node` (`scope`,`node_id`);
--> statement-breakpoint
CREATE INDEX `node_ledger` ON `node` (`ledger_uid`,`position`);
--> statement-breakpoint
CREATE TABLE `explorer` (
	`uid` text PRIMARY KEY NOT NULL,
	`id` integer NOT NULL,
	`explorer_id` text NOT NULL,
	`scope` text NOT NULL,
	`ledger_uid` text NOT NULL,
	`node_uid` text,
	`name` text NOT NULL,
	`implementations` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `explorer_scope_id` ON `explorer` (`scope`,`explorer_id`);
--> statement-breakpoint
CREATE INDEX `explorer_ledger` ON `explorer` (`ledger_uid`,`id`);
--> statement-breakpoint
CREATE INDEX `explorer_node` ON `explorer` (`node_uid`);
--> statement-breakpoint
CREATE TABLE `plugin` (
	`uid` text PRIMARY KEY NOT NULL,
	`id` integer NOT NULL,
	`plugin_id` text NOT NULL,
	`scope` text NOT NULL,
	`name` text NOT NULL,
	`url` text NOT NULL,
	`active` integer NOT NULL,
	`plugin_type` text NOT NULL,
	`implementation_version` text NOT NULL,
	`version` text,
	`ledgers` text,
	`integrity` text,
	`credentials` blob,
	`revision` integer NOT NULL,
	`module_revision` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `plugin_scope_id` ON `plugin` (`scope`,`plugin_id`);
--> statement-breakpoint
CREATE TABLE `plugin_description` (
	`plugin_uid` text PRIMARY KEY NOT NULL,
	`url` text NOT NULL,
	`integrity` text,
	`description` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `plugin_tag` (
	`id` integer PRIMARY KEY NOT NULL,
	`plugin_uid` text NOT NULL,
	`tag` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `plugin_tag_once` ON `plugin_tag` (`plugin_uid`,`tag`);
--> statement-breakpoint
CREATE INDEX `plugin_tag_tag` ON `plugin_tag` (`tag`,`plugin_uid`);
--> statement-breakpoint
CREATE TABLE `contract_group` (
	`group_id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`name` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `contract_group_project` ON `contract_group` (`project_id`,`created_at`);
--> statement-breakpoint
CREATE TABLE `contract` (
	`uid` text PRIMARY KEY NOT NULL,
	`id` integer NOT NULL,
	`contract_id` text NOT NULL,
	`group_id` text NOT NULL,
	`project_id` text NOT NULL,
	`name` text NOT NULL,
	`interface` text NOT NULL,
	`parsed_interface` text NOT NULL,
	`ledger_uid` text NOT NULL,
	`ledger_id` text NOT NULL,
	`native_reference` text NOT NULL,
	`specification_uid` text,
	`types` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `contract_project_id` ON `contract` (`project_id`,`contract_id`);
--> statement-breakpoint
CREATE INDEX `contract_by_group` ON `contract` (`group_id`,`created_at`);
--> statement-breakpoint
CREATE INDEX `contract_ledger` ON `contract` (`ledger_uid`);
--> statement-breakpoint
CREATE INDEX `contract_search_name` ON `contract` (`project_id`,lower(name));
--> statement-breakpoint
CREATE INDEX `contract_search_reference` ON `contract` (`project_id`,lower(native_reference));
--> statement-breakpoint
CREATE TABLE `contract_property` (
	`id` integer PRIMARY KEY NOT NULL,
	`contract_uid` text NOT NULL,
	`name` text NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `contract_property_once` ON `contract_property` (`contract_uid`,`name`);
--> statement-breakpoint
CREATE TABLE `named_type` (
	`id` integer PRIMARY KEY NOT NULL,
	`scope` text NOT NULL,
	`name` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `named_type_once` ON `named_type` (`scope`,`name`);
--> statement-breakpoint
CREATE TABLE `ledger_token` (
	`uid` text PRIMARY KEY NOT NULL,
	`id` integer NOT NULL,
	`token_id` text NOT NULL,
	`project_id` text NOT NULL,
	`contract_uid` text NOT NULL,
	`name` text NOT NULL,
	`ticker` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `ledger_token_project_id` ON `ledger_token` (`project_id`,`token_id`);
--> statement-breakpoint
CREATE INDEX `ledger_token_contract` ON `ledger_token` (`contract_uid`);
--> statement-breakpoint
CREATE TABLE `template` (
	`uid` text PRIMARY KEY NOT NULL,
	`id` integer NOT NULL,
	`template_id` text NOT NULL,
	`project_id` text NOT NULL,
	`name` text NOT NULL,
	`description` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `template_project_id` ON `template` (`project_id`,`template_id`);
--> statement-breakpoint
CREATE TABLE `specification` (
	`uid` text PRIMARY KEY NOT NULL,
	`id` integer NOT NULL,
	`template_uid` text NOT NULL,
	`tag` text NOT NULL,
	`description` text,
	`technology` text NOT NULL,
	`language` text,
	`compiler_version` text,
	`compilation` text NOT NULL,
	`status` text NOT NULL,
	`interface` text NOT NULL,
	`code` text NOT NULL,
	`checksum` text NOT NULL,
	`source` text,
	`target` text,
	`messages` text NOT NULL,
	`has_preprocessing` integer NOT NULL,
	`attempts` integer NOT NULL,
	`due_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `specification_tag` ON `specification` (`template_uid`,`tag`);
--> statement-breakpoint
CREATE INDEX `specification_pending` ON `specification` (`due_at`,`id`) WHERE status = 'PENDING';
--> statement-breakpoint
CREATE TABLE `resource` (
	`uid` text PRIMARY KEY NOT NULL,
	`id` integer NOT NULL,
	`resource_id` text NOT NULL,
	`type` text NOT NULL,
	`parent_uid` text,
	`id_scope` text NOT NULL,
	`created_at` integer NOT NULL,
	`archived_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `resource_id_once` ON `resource` (`id_scope`,`resource_id`);
--> statement-breakpoint
CREATE INDEX `resource_parent` ON `resource` (`parent_uid`);
--> statement-breakpoint
CREATE INDEX `resource_type_id` ON `resource` (`type`,`resource_id`);
--> statement-breakpoint
CREATE TABLE `organization` (
	`uid` text PRIMARY KEY NOT NULL,
	`id` integer NOT NULL,
	`organization_id` text NOT NULL,
	`name` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `organization_organization_id` ON `organization` (`organization_id`);
--> statement-breakpoint
CREATE TABLE `project` (
	`uid` text PRIMARY KEY NOT NULL,
	`id` integer NOT NULL,
	`project_id` text NOT NULL,
	`organization_uid` text NOT NULL,
	`name` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `project_organization_id` ON `project` (`organization_uid`,`project_id`);
--> statement-breakpoint
CREATE INDEX `project_project_id` ON `project` (`project_id`);
--> statement-breakpoint
CREATE TABLE `app` (
	`uid` text PRIMARY KEY NOT NULL,
	`id` integer NOT NULL,
	`app_id` text NOT NULL,
	`project_uid` text NOT NULL,
	`name` text NOT NULL,
	`status` text NOT NULL,
	`token_hash` text,
	`former_token_hash` text,
	`app_url` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `app_project_id` ON `app` (`project_uid`,`app_id`);
--> statement-breakpoint
CREATE INDEX `app_app_id` ON `app` (`app_id`,`id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `app_token_hash` ON `app` (`token_hash`);
--> statement-breakpoint
CREATE UNIQUE INDEX `app_former_token_hash` ON `app` (`former_token_hash`);
--> statement-breakpoint
CREATE TABLE `identity` (
	`service_id` text PRIMARY KEY NOT NULL,
	`id` integer NOT NULL,
	`identifier` text NOT NULL,
	`identifier_key` text NOT NULL,
	`type` text NOT NULL,
	`status` text NOT NULL,
	`display_name` text,
	`config` text DEFAULT '[]' NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `identity_identifier_key` ON `identity` (`identifier_key`);
--> statement-breakpoint
CREATE INDEX `identity_identifier` ON `identity` (`identifier`);
--> statement-breakpoint
CREATE TABLE `service_account` (
	`service_id` text PRIMARY KEY NOT NULL,
	`id` integer NOT NULL,
	`account_id` text NOT NULL,
	`project_uid` text NOT NULL,
	`name` text NOT NULL,
	`email` text NOT NULL,
	`email_key` text NOT NULL,
	`created_by` text NOT NULL,
	`updated_by` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `service_account_project_id` ON `service_account` (`project_uid`,`account_id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `service_account_project_email` ON `service_account` (`project_uid`,`email_key`);
--> statement-breakpoint
CREATE INDEX `service_account_account_id` ON `service_account` (`account_id`,`id`);
--> statement-breakpoint
CREATE INDEX `service_account_email` ON `service_account` (`email_key`);
--> statement-breakpoint
CREATE TABLE `api_token` (
	`handle` text PRIMARY KEY NOT NULL,
	`service_id` text NOT NULL,
	`hash` text NOT NULL,
	`status` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `api_token_account` ON `api_token` (`service_id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_token_hash` ON `api_token` (`hash`);
--> statement-breakpoint
CREATE TABLE `role` (
	`uid` text PRIMARY KEY NOT NULL,
	`id` integer NOT NULL,
	`name` text NOT NULL,
	`description` text NOT NULL,
	`role_type` text NOT NULL,
	`permissions` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `role_name` ON `role` (`role_type`,`name`);
--> statement-breakpoint
CREATE TABLE `role_assignment` (
	`id` integer PRIMARY KEY NOT NULL,
	`holder` text NOT NULL,
	`resource_uid` text NOT NULL,
	`role_uid` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `role_assignment_once` ON `role_assignment` (`holder`,`resource_uid`,`role_uid`);
--> statement-breakpoint
CREATE INDEX `role_assignment_resource` ON `role_assignment` (`resource_uid`);
--> statement-breakpoint
CREATE INDEX `role_assignment_role` ON `role_assignment` (`role_uid`,`resource_uid`);
--> statement-breakpoint
CREATE TABLE `signing_key` (
	`kid` text PRIMARY KEY NOT NULL,
	`public_jwk` text NOT NULL,
	`sealed_private` blob NOT NULL,
	`created_at` integer NOT NULL,
	`retired_at` integer
);
--> statement-breakpoint
CREATE TABLE `counter` (
	`name` text PRIMARY KEY NOT NULL,
	`value` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `identity_password` (
	`service_id` text PRIMARY KEY NOT NULL,
	`hash` text NOT NULL,
	`params` text NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `init_token` (
	`service_id` text PRIMARY KEY NOT NULL,
	`hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `init_token_hash` ON `init_token` (`hash`);
--> statement-breakpoint
CREATE INDEX `init_token_expiry` ON `init_token` (`expires_at`);
--> statement-breakpoint
CREATE TABLE `session` (
	`hash` text PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`service_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `session_id` ON `session` (`id`);
--> statement-breakpoint
CREATE INDEX `session_identity` ON `session` (`service_id`);
--> statement-breakpoint
CREATE INDEX `session_expiry` ON `session` (`expires_at`);
--> statement-breakpoint
CREATE TABLE `login_throttle` (
	`key` text PRIMARY KEY NOT NULL,
	`failures` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`blocked_until` integer
);
--> statement-breakpoint
CREATE INDEX `login_throttle_age` ON `login_throttle` (`updated_at`);
--> statement-breakpoint
CREATE TABLE `identity_lock` (
	`service_id` text PRIMARY KEY NOT NULL,
	`until` integer NOT NULL,
	`counted_as` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `identity_lock_end` ON `identity_lock` (`until`);
--> statement-breakpoint
CREATE TABLE `app_redirect_uri` (
	`app_uid` text NOT NULL,
	`uri` text NOT NULL,
	PRIMARY KEY(`app_uid`, `uri`)
);
--> statement-breakpoint
CREATE TABLE `consent` (
	`service_id` text NOT NULL,
	`app_uid` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`service_id`, `app_uid`)
);
--> statement-breakpoint
CREATE TABLE `authorization_code` (
	`hash` text PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`app_uid` text NOT NULL,
	`service_id` text NOT NULL,
	`session_id` text NOT NULL,
	`redirect_uri` text NOT NULL,
	`challenge` text NOT NULL,
	`expires_at` integer NOT NULL,
	`used_at` integer,
	`revoked_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `authorization_code_id` ON `authorization_code` (`id`);
--> statement-breakpoint
CREATE INDEX `authorization_code_session` ON `authorization_code` (`session_id`);
--> statement-breakpoint
CREATE INDEX `authorization_code_expiry` ON `authorization_code` (`expires_at`);
--> statement-breakpoint
CREATE TABLE `refresh_family` (
	`id` text PRIMARY KEY NOT NULL,
	`app_uid` text NOT NULL,
	`service_id` text NOT NULL,
	`session_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`ended_at` integer,
	`revoked_at` integer
);
--> statement-breakpoint
CREATE INDEX `refresh_family_identity` ON `refresh_family` (`service_id`);
--> statement-breakpoint
CREATE INDEX `refresh_family_session` ON `refresh_family` (`session_id`);
--> statement-breakpoint
CREATE INDEX `refresh_family_expiry` ON `refresh_family` (`expires_at`);
--> statement-breakpoint
CREATE TABLE `refresh_token` (
	`hash` text PRIMARY KEY NOT NULL,
	`family_id` text NOT NULL,
	`expires_at` integer NOT NULL,
	`used_at` integer
);
--> statement-breakpoint
CREATE INDEX `refresh_token_family` ON `refresh_token` (`family_id`);
--> statement-breakpoint
CREATE INDEX `refresh_token_expiry` ON `refresh_token` (`expires_at`);
--> statement-breakpoint
CREATE TABLE `revoked_access_token` (
	`jti` text PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `revoked_access_token_expiry` ON `revoked_access_token` (`expires_at`);
--> statement-breakpoint
CREATE TABLE `client_assertion` (
	`key` text PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `client_assertion_expiry` ON `client_assertion` (`expires_at`);
--> statement-breakpoint
CREATE TABLE `service_account_key` (
	`key_id` integer PRIMARY KEY NOT NULL,
	`service_id` text NOT NULL,
	`public_key` text NOT NULL,
	`public_key_format` text NOT NULL,
	`private_key_format` text NOT NULL,
	`status` text NOT NULL,
	`generated_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `service_account_key_account` ON `service_account_key` (`service_id`,`key_id`);
--> statement-breakpoint
CREATE TABLE `resource_ancestor` (
	`resource_uid` text NOT NULL,
	`ancestor_uid` text NOT NULL,
	`type` text NOT NULL,
	`depth` integer NOT NULL,
	PRIMARY KEY(`resource_uid`, `ancestor_uid`)
);
--> statement-breakpoint
CREATE INDEX `resource_ancestor_below` ON `resource_ancestor` (`ancestor_uid`,`type`,`resource_uid`);
--> statement-breakpoint
CREATE TABLE `resource_property` (
	`id` integer PRIMARY KEY NOT NULL,
	`resource_uid` text NOT NULL,
	`name` text NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `resource_property_once` ON `resource_property` (`resource_uid`,`name`);
--> statement-breakpoint
CREATE TABLE `lookup_term` (
	`id` integer PRIMARY KEY NOT NULL,
	`resource_uid` text NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `lookup_term_once` ON `lookup_term` (`resource_uid`,`value`);
--> statement-breakpoint
CREATE INDEX `lookup_term_value` ON `lookup_term` (`value`);
--> statement-breakpoint
CREATE TABLE `role_deletion` (
	`id` integer PRIMARY KEY NOT NULL,
	`assignment_id` integer NOT NULL,
	`requested_by` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `role_deletion_assignment` ON `role_deletion` (`assignment_id`);
--> statement-breakpoint
CREATE TABLE `app_identity_property` (
	`id` integer PRIMARY KEY NOT NULL,
	`app_uid` text NOT NULL,
	`service_id` text NOT NULL,
	`name` text NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `app_identity_property_once` ON `app_identity_property` (`app_uid`,`service_id`,`name`);
--> statement-breakpoint
CREATE TABLE `invitation` (
	`id` integer PRIMARY KEY NOT NULL,
	`organization_uid` text NOT NULL,
	`user_email` text NOT NULL,
	`email_subject` text,
	`message` text,
	`state` text NOT NULL,
	`token` text NOT NULL,
	`secret_hash` text,
	`saml` integer NOT NULL,
	`created_by` text NOT NULL,
	`created_by_app` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`mailed_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `invitation_token` ON `invitation` (`token`);
--> statement-breakpoint
CREATE UNIQUE INDEX `invitation_secret` ON `invitation` (`secret_hash`);
--> statement-breakpoint
CREATE INDEX `invitation_organization` ON `invitation` (`organization_uid`,`state`);
--> statement-breakpoint
CREATE INDEX `invitation_mails` ON `invitation` (`organization_uid`,`mailed_at`);
--> statement-breakpoint
CREATE INDEX `invitation_address` ON `invitation` (`user_email`,`mailed_at`);
--> statement-breakpoint
CREATE TABLE `invitation_role` (
	`id` integer PRIMARY KEY NOT NULL,
	`invitation_id` integer NOT NULL,
	`resource_uid` text NOT NULL,
	`role_uid` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `invitation_role_once` ON `invitation_role` (`invitation_id`,`resource_uid`,`role_uid`);
--> statement-breakpoint
CREATE TABLE `image` (
	`uid` text PRIMARY KEY NOT NULL,
	`owner` text NOT NULL,
	`format` text NOT NULL,
	`bytes` blob NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `image_owner` ON `image` (`owner`);
--> statement-breakpoint
CREATE TABLE `mail` (
	`uid` text PRIMARY KEY NOT NULL,
	`sealed` blob NOT NULL,
	`attempts` integer NOT NULL,
	`due_at` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `mail_due` ON `mail` (`due_at`);
--> statement-breakpoint
CREATE TABLE `timeline_bundle` (
	`uid` text PRIMARY KEY NOT NULL,
	`activities` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `timeline` (
	`uid` text PRIMARY KEY NOT NULL,
	`seq` integer,
	`action` text NOT NULL,
	`performed_at` integer NOT NULL,
	`registered_at` integer NOT NULL,
	`identity` text NOT NULL,
	`app_id` text NOT NULL,
	`project_id` text NOT NULL,
	`scope` text NOT NULL,
	`resource_uid` text NOT NULL,
	`resource_id` text NOT NULL,
	`resource_type` text NOT NULL,
	`permission` text NOT NULL,
	`service` text NOT NULL,
	`target_object` text NOT NULL,
	`details` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `timeline_seq` ON `timeline` (`seq`);
--> statement-breakpoint
CREATE INDEX `timeline_unnumbered` ON `timeline` (`uid`) WHERE seq is null;
--> statement-breakpoint
CREATE INDEX `timeline_resource` ON `timeline` (`resource_id`,`performed_at`);
--> statement-breakpoint
CREATE INDEX `timeline_resource_uid` ON `timeline` (`resource_uid`,`performed_at`);
--> statement-breakpoint
CREATE INDEX `timeline_service` ON `timeline` (`service`,`action`,`performed_at`);
--> statement-breakpoint
CREATE INDEX `timeline_service_time` ON `timeline` (`service`,`performed_at`);
--> statement-breakpoint
CREATE INDEX `timeline_type` ON `timeline` (`resource_type`,`performed_at`);
--> statement-breakpoint
CREATE INDEX `timeline_time` ON `timeline` (`performed_at`);
--> statement-breakpoint
CREATE TABLE `webhook` (
	`uid` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`url` text NOT NULL,
	`description` text,
	`types` text,
	`ledgers` text,
	`wallets` text,
	`format` text NOT NULL,
	`status` text NOT NULL,
	`reason` text,
	`secret` blob NOT NULL,
	`earlier_secret` blob,
	`earlier_until` integer,
	`place` integer NOT NULL,
	`failing_since` integer,
	`owner` text,
	`owned_until` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `webhook_project` ON `webhook` (`project_id`,`uid`);
--> statement-breakpoint
CREATE TABLE `webhook_delivery` (
	`webhook_uid` text NOT NULL,
	`event_id` text NOT NULL,
	`place` integer NOT NULL,
	`ordered_by` text NOT NULL,
	`action_id` text,
	`type` text NOT NULL,
	`body` text NOT NULL,
	`status` text NOT NULL,
	`attempts` integer NOT NULL,
	`due_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`last_at` integer,
	`last_status` integer,
	`last_error` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`webhook_uid`, `event_id`)
);
--> statement-breakpoint
CREATE INDEX `webhook_delivery_due` ON `webhook_delivery` (`webhook_uid`,`due_at`) WHERE status = 'PENDING';
--> statement-breakpoint
CREATE INDEX `webhook_delivery_order` ON `webhook_delivery` (`webhook_uid`,`ordered_by`,`place`) WHERE status = 'PENDING';
--> statement-breakpoint
CREATE INDEX `webhook_delivery_listed` ON `webhook_delivery` (`webhook_uid`,`status`,`place`);
--> statement-breakpoint
CREATE INDEX `webhook_delivery_dead` ON `webhook_delivery` (`webhook_uid`,`place`) WHERE status = 'DEAD';
--> statement-breakpoint
CREATE INDEX `webhook_delivery_age` ON `webhook_delivery` (`created_at`);
--> statement-breakpoint
CREATE TABLE `contract_subscription` (
	`uid` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`contract_uid` text NOT NULL,
	`contract_id` text NOT NULL,
	`ledger_uid` text NOT NULL,
	`ledger_id` text NOT NULL,
	`events` text,
	`genesis` text NOT NULL,
	`height` integer NOT NULL,
	`hash` text,
	`event_index` integer,
	`status` text NOT NULL,
	`reason` text,
	`failures` integer NOT NULL,
	`failing_since` integer,
	`error` text,
	`behind` integer,
	`behind_since` integer,
	`owner` text,
	`owned_until` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `contract_subscription_project` ON `contract_subscription` (`project_id`,`uid`);
--> statement-breakpoint
CREATE INDEX `contract_subscription_active` ON `contract_subscription` (`owned_until`) WHERE status = 'ACTIVE';
--> statement-breakpoint
CREATE TABLE `contract_event` (
	`uid` text PRIMARY KEY NOT NULL,
	`subscription_uid` text NOT NULL,
	`project_uid` text,
	`event_id` text NOT NULL,
	`data` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `contract_event_once` ON `contract_event` (`subscription_uid`,`event_id`);
--> statement-breakpoint
CREATE INDEX `contract_event_age` ON `contract_event` (`created_at`);
--> statement-breakpoint
CREATE TABLE `storage_usage` (
	`scope` text NOT NULL,
	`name` text NOT NULL,
	`amount` integer NOT NULL,
	PRIMARY KEY(`scope`, `name`)
);
--> statement-breakpoint
CREATE TABLE `storage_limit` (
	`scope` text NOT NULL,
	`name` text NOT NULL,
	`most` integer NOT NULL,
	`updated_by` text NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`scope`, `name`)
);
--> statement-breakpoint
CREATE TABLE `large_action` (
	`action_id` text PRIMARY KEY NOT NULL,
	`organization_uid` text NOT NULL,
	`bytes` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `private_data` (
	`action_id` text PRIMARY KEY NOT NULL,
	`organization_uid` text NOT NULL,
	`bytes` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `installation` (
	`id` integer PRIMARY KEY NOT NULL,
	`installation_id` text NOT NULL,
	`identity` text,
	`heartbeat` integer NOT NULL,
	`set_back` text
);
