CREATE TABLE "action" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"given_id" text collate "C",
	"project_id" text collate "C" NOT NULL,
	"app_id" text collate "C" NOT NULL,
	"caller" text collate "C" NOT NULL,
	"wallet_uid" text collate "C" NOT NULL,
	"wallet_id" text collate "C" NOT NULL,
	"ledger_uid" text collate "C" NOT NULL,
	"ledger_id" text collate "C" NOT NULL,
	"chain" text collate "C" NOT NULL,
	"shard" bigint NOT NULL,
	"address" text collate "C" NOT NULL,
	"intent" text collate "C" NOT NULL,
	"tag" text collate "C",
	"context" text collate "C",
	"status" text collate "C" NOT NULL,
	"stage" text collate "C" NOT NULL,
	"operation" text collate "C" NOT NULL,
	"overrides" text collate "C",
	"plan" text collate "C" NOT NULL,
	"plugin" text collate "C",
	"cost" text collate "C" NOT NULL,
	"sequence" bigint,
	"blockers" bigint NOT NULL,
	"min_height" bigint NOT NULL,
	"waiting" text collate "C",
	"waiting_code" text collate "C",
	"waiting_since" bigint,
	"change" text collate "C",
	"change_cap" text collate "C",
	"problem" text collate "C",
	"locator" text collate "C",
	"contract_address" text collate "C",
	"height" bigint,
	"block_time" bigint,
	"fee" text collate "C",
	"details" text collate "C",
	"retracted" text collate "C",
	"retracted_at" bigint,
	"deadline" bigint NOT NULL,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	"ended_at" bigint,
	"sent_at" bigint,
	"receivers" text collate "C",
	"trace" text collate "C",
	"stored_bytes" bigint,
	"request_key" text collate "C",
	"request_fingerprint" text collate "C",
	"request_position" bigint
);
--> statement-breakpoint
CREATE TABLE "removed_action" (
	"project_id" text collate "C" NOT NULL,
	"given_id" text collate "C" NOT NULL,
	CONSTRAINT "removed_action_project_id_given_id_pk" PRIMARY KEY("project_id","given_id")
);
--> statement-breakpoint
CREATE TABLE "deployment" (
	"action_id" text collate "C" PRIMARY KEY NOT NULL,
	"project_id" text collate "C" NOT NULL,
	"contract_id" text collate "C" NOT NULL,
	"name" text collate "C"
);
--> statement-breakpoint
CREATE TABLE "action_dependency" (
	"action_id" text collate "C" NOT NULL,
	"dependency_id" text collate "C" NOT NULL,
	"position" bigint NOT NULL,
	CONSTRAINT "action_dependency_action_id_dependency_id_pk" PRIMARY KEY("action_id","dependency_id")
);
--> statement-breakpoint
CREATE TABLE "action_listing" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"party" text collate "C" NOT NULL,
	"shown" text collate "C" NOT NULL,
	"project_id" text collate "C" NOT NULL,
	"ledger_uid" text collate "C" NOT NULL,
	"ledger_id" text collate "C" NOT NULL,
	"chain" text collate "C" NOT NULL,
	"status" text collate "C" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "action_listed" (
	"listing" text collate "C" NOT NULL,
	"at" bigint NOT NULL,
	"name" text collate "C" NOT NULL,
	"action_id" text collate "C" NOT NULL,
	CONSTRAINT "action_listed_listing_at_name_action_id_pk" PRIMARY KEY("listing","at","name","action_id")
);
--> statement-breakpoint
CREATE TABLE "action_tally" (
	"listing" text collate "C" NOT NULL,
	"level" bigint NOT NULL,
	"span" bigint NOT NULL,
	"slot" bigint NOT NULL,
	"n" bigint NOT NULL,
	CONSTRAINT "action_tally_listing_level_span_slot_pk" PRIMARY KEY("listing","level","span","slot")
);
--> statement-breakpoint
CREATE TABLE "action_summary" (
	"project_uid" text collate "C" NOT NULL,
	"level" bigint NOT NULL,
	"span" bigint NOT NULL,
	"ledger_uid" text collate "C" NOT NULL,
	"outcome" text collate "C" NOT NULL,
	"duration" bigint NOT NULL,
	"slot" bigint NOT NULL,
	"n" bigint NOT NULL,
	"fee_high" bigint NOT NULL,
	"fee_low" bigint NOT NULL,
	CONSTRAINT "action_summary_level_span_project_uid_ledger_uid_outcome_duration_slot_pk" PRIMARY KEY("level","span","project_uid","ledger_uid","outcome","duration","slot")
);
--> statement-breakpoint
CREATE TABLE "attempt" (
	"tx_id" text collate "C" NOT NULL,
	"action_id" text collate "C" NOT NULL,
	"n" bigint NOT NULL,
	"kind" text collate "C" NOT NULL,
	"chain" text collate "C" NOT NULL,
	"shard" bigint NOT NULL,
	"address" text collate "C" NOT NULL,
	"sequence" bigint,
	"bytes" "bytea",
	"cost" text collate "C" NOT NULL,
	"note" text collate "C",
	"valid_until" bigint,
	"claims" text collate "C",
	"needs" text collate "C",
	"created_at" bigint NOT NULL,
	"settled_at" bigint,
	"height" bigint,
	"reason" text collate "C",
	"sealed" "bytea",
	"secret" "bytea",
	CONSTRAINT "attempt_tx_id_chain_pk" PRIMARY KEY("tx_id","chain")
);
--> statement-breakpoint
CREATE TABLE "claim" (
	"chain" text collate "C" NOT NULL,
	"claim" text collate "C" NOT NULL,
	"action_id" text collate "C" NOT NULL,
	CONSTRAINT "claim_chain_claim_pk" PRIMARY KEY("chain","claim")
);
--> statement-breakpoint
CREATE TABLE "action_grant" (
	"action_id" text collate "C" PRIMARY KEY NOT NULL,
	"sealed" "bytea" NOT NULL,
	"secret" "bytea",
	"others" text collate "C"
);
--> statement-breakpoint
CREATE TABLE "suspension" (
	"subject" text collate "C" PRIMARY KEY NOT NULL,
	"id" text collate "C" NOT NULL,
	"kind" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"scope" text collate "C" NOT NULL,
	"reason" text collate "C" NOT NULL,
	"created_by" text collate "C" NOT NULL,
	"created_at" bigint NOT NULL,
	"cause" text collate "C"
);
--> statement-breakpoint
CREATE TABLE "unknown_transaction" (
	"chain" text collate "C" NOT NULL,
	"address" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"sequence" bigint,
	"tx_id" text collate "C",
	"height" bigint,
	"found_at" bigint NOT NULL,
	CONSTRAINT "unknown_transaction_chain_address_name_pk" PRIMARY KEY("chain","address","name")
);
--> statement-breakpoint
CREATE TABLE "compared_account" (
	"chain" text collate "C" NOT NULL,
	"address" text collate "C" NOT NULL,
	"height" bigint NOT NULL,
	"compared_at" bigint,
	"incomplete" text collate "C",
	CONSTRAINT "compared_account_chain_address_pk" PRIMARY KEY("chain","address")
);
--> statement-breakpoint
CREATE TABLE "action_release" (
	"action_id" text collate "C" NOT NULL,
	"unknown_id" text collate "C" NOT NULL,
	CONSTRAINT "action_release_action_id_unknown_id_pk" PRIMARY KEY("action_id","unknown_id")
);
--> statement-breakpoint
CREATE TABLE "sequence" (
	"chain" text collate "C" NOT NULL,
	"address" text collate "C" NOT NULL,
	"next" bigint NOT NULL,
	"removed" bigint,
	CONSTRAINT "sequence_chain_address_pk" PRIMARY KEY("chain","address")
);
--> statement-breakpoint
CREATE TABLE "lane" (
	"chain" text collate "C" NOT NULL,
	"shard" bigint NOT NULL,
	"owner" text collate "C" NOT NULL,
	"epoch" bigint NOT NULL,
	"expires_at" bigint NOT NULL,
	CONSTRAINT "lane_chain_shard_pk" PRIMARY KEY("chain","shard")
);
--> statement-breakpoint
CREATE TABLE "lane_server" (
	"chain" text collate "C" NOT NULL,
	"owner" text collate "C" NOT NULL,
	"expires_at" bigint NOT NULL,
	CONSTRAINT "lane_server_chain_owner_pk" PRIMARY KEY("chain","owner")
);
--> statement-breakpoint
CREATE TABLE "chain_mark" (
	"ledger_uid" text collate "C" PRIMARY KEY NOT NULL,
	"chain" text collate "C" NOT NULL,
	"height" bigint NOT NULL,
	"hash" text collate "C" NOT NULL,
	"settled_at" bigint
);
--> statement-breakpoint
CREATE TABLE "chain_reset" (
	"chain" text collate "C" PRIMARY KEY NOT NULL,
	"resets" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "idempotency" (
	"scope" text collate "C" NOT NULL,
	"key" text collate "C" NOT NULL,
	"fingerprint" text collate "C" NOT NULL,
	"status" bigint NOT NULL,
	"body" text collate "C",
	"organization_uid" text collate "C",
	"bytes" bigint,
	"created_at" bigint NOT NULL,
	CONSTRAINT "idempotency_scope_key_pk" PRIMARY KEY("scope","key")
);
--> statement-breakpoint
CREATE TABLE "wallet" (
	"uid" text collate "C" PRIMARY KEY NOT NULL,
	"project_id" text collate "C" NOT NULL,
	"wallet_id" text collate "C" NOT NULL,
	"ledger_uid" text collate "C" NOT NULL,
	"ledger_id" text collate "C" NOT NULL,
	"chain_id" text collate "C" NOT NULL,
	"address" text collate "C" NOT NULL,
	"material" text collate "C",
	"aliases" text collate "C",
	"renew_at" bigint,
	"exclusive" bigint DEFAULT 0 NOT NULL,
	"key_type" text collate "C" NOT NULL,
	"public_key" "bytea" NOT NULL,
	"sealed_secret" "bytea" NOT NULL,
	"sealed_data_key" "bytea" NOT NULL,
	"kdf" text collate "C" NOT NULL,
	"key_version" bigint NOT NULL,
	"created_by" text collate "C" NOT NULL,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "wallet_draft" (
	"uid" text collate "C" PRIMARY KEY NOT NULL,
	"project_id" text collate "C" NOT NULL,
	"wallet_id" text collate "C" NOT NULL,
	"ledger_uid" text collate "C" NOT NULL,
	"key_type" text collate "C" NOT NULL,
	"public_key" "bytea" NOT NULL,
	"sealed_secret" "bytea" NOT NULL,
	"sealed_data_key" "bytea" NOT NULL,
	"kdf" text collate "C" NOT NULL,
	"key_version" bigint NOT NULL,
	"created_by" text collate "C" NOT NULL,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "wallet_throttle" (
	"key" text collate "C" PRIMARY KEY NOT NULL,
	"points" bigint NOT NULL,
	"blocked_until" bigint NOT NULL,
	"right_at" bigint,
	"expires_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "ledger" (
	"uid" text collate "C" PRIMARY KEY NOT NULL,
	"id" bigint NOT NULL,
	"ledger_id" text collate "C" NOT NULL,
	"project_id" text collate "C",
	"scope" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"type" text collate "C" NOT NULL,
	"featured" boolean NOT NULL,
	"technology" text collate "C" NOT NULL,
	"active" boolean NOT NULL,
	"properties" text collate "C" NOT NULL,
	"secrets" "bytea",
	"revision" bigint NOT NULL,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "node" (
	"uid" text collate "C" PRIMARY KEY NOT NULL,
	"id" bigint NOT NULL,
	"node_id" text collate "C" NOT NULL,
	"scope" text collate "C" NOT NULL,
	"ledger_uid" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"uri" text collate "C" NOT NULL,
	"client" text collate "C",
	"properties" text collate "C" NOT NULL,
	"secrets" "bytea",
	"position" bigint NOT NULL,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "explorer" (
	"uid" text collate "C" PRIMARY KEY NOT NULL,
	"id" bigint NOT NULL,
	"explorer_id" text collate "C" NOT NULL,
	"scope" text collate "C" NOT NULL,
	"ledger_uid" text collate "C" NOT NULL,
	"node_uid" text collate "C",
	"name" text collate "C" NOT NULL,
	"implementations" text collate "C" NOT NULL,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "plugin" (
	"uid" text collate "C" PRIMARY KEY NOT NULL,
	"id" bigint NOT NULL,
	"plugin_id" text collate "C" NOT NULL,
	"scope" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"url" text collate "C" NOT NULL,
	"active" boolean NOT NULL,
	"plugin_type" text collate "C" NOT NULL,
	"implementation_version" text collate "C" NOT NULL,
	"version" text collate "C",
	"ledgers" text collate "C",
	"integrity" text collate "C",
	"credentials" "bytea",
	"revision" bigint NOT NULL,
	"module_revision" bigint,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "plugin_description" (
	"plugin_uid" text collate "C" PRIMARY KEY NOT NULL,
	"url" text collate "C" NOT NULL,
	"integrity" text collate "C",
	"description" text collate "C" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "plugin_tag" (
	"id" bigint PRIMARY KEY NOT NULL,
	"plugin_uid" text collate "C" NOT NULL,
	"tag" text collate "C" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "contract_group" (
	"group_id" text collate "C" PRIMARY KEY NOT NULL,
	"project_id" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "contract" (
	"uid" text collate "C" PRIMARY KEY NOT NULL,
	"id" bigint NOT NULL,
	"contract_id" text collate "C" NOT NULL,
	"group_id" text collate "C" NOT NULL,
	"project_id" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"interface" text collate "C" NOT NULL,
	"parsed_interface" text collate "C" NOT NULL,
	"ledger_uid" text collate "C" NOT NULL,
	"ledger_id" text collate "C" NOT NULL,
	"native_reference" text collate "C" NOT NULL,
	"specification_uid" text collate "C",
	"types" text collate "C" NOT NULL,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "contract_property" (
	"id" bigint PRIMARY KEY NOT NULL,
	"contract_uid" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"value" text collate "C" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "named_type" (
	"id" bigint PRIMARY KEY NOT NULL,
	"scope" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "ledger_token" (
	"uid" text collate "C" PRIMARY KEY NOT NULL,
	"id" bigint NOT NULL,
	"token_id" text collate "C" NOT NULL,
	"project_id" text collate "C" NOT NULL,
	"contract_uid" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"ticker" text collate "C" NOT NULL,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "template" (
	"uid" text collate "C" PRIMARY KEY NOT NULL,
	"id" bigint NOT NULL,
	"template_id" text collate "C" NOT NULL,
	"project_id" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"description" text collate "C",
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "specification" (
	"uid" text collate "C" PRIMARY KEY NOT NULL,
	"id" bigint NOT NULL,
	"template_uid" text collate "C" NOT NULL,
	"tag" text collate "C" NOT NULL,
	"description" text collate "C",
	"technology" text collate "C" NOT NULL,
	"language" text collate "C",
	"compiler_version" text collate "C",
	"compilation" text collate "C" NOT NULL,
	"status" text collate "C" NOT NULL,
	"interface" text collate "C" NOT NULL,
	"code" text collate "C" NOT NULL,
	"checksum" text collate "C" NOT NULL,
	"source" text collate "C",
	"target" text collate "C",
	"messages" text collate "C" NOT NULL,
	"has_preprocessing" boolean NOT NULL,
	"attempts" bigint NOT NULL,
	"due_at" bigint NOT NULL,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "resource" (
	"uid" text collate "C" PRIMARY KEY NOT NULL,
	"id" bigint NOT NULL,
	"resource_id" text collate "C" NOT NULL,
	"type" text collate "C" NOT NULL,
	"parent_uid" text collate "C",
	"id_scope" text collate "C" NOT NULL,
	"created_at" bigint NOT NULL,
	"archived_at" bigint
);
--> statement-breakpoint
CREATE TABLE "organization" (
	"uid" text collate "C" PRIMARY KEY NOT NULL,
	"id" bigint NOT NULL,
	"organization_id" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "project" (
	"uid" text collate "C" PRIMARY KEY NOT NULL,
	"id" bigint NOT NULL,
	"project_id" text collate "C" NOT NULL,
	"organization_uid" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "app" (
	"uid" text collate "C" PRIMARY KEY NOT NULL,
	"id" bigint NOT NULL,
	"app_id" text collate "C" NOT NULL,
	"project_uid" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"status" text collate "C" NOT NULL,
	"token_hash" text collate "C",
	"former_token_hash" text collate "C",
	"app_url" text collate "C",
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "identity" (
	"service_id" text collate "C" PRIMARY KEY NOT NULL,
	"id" bigint NOT NULL,
	"identifier" text collate "C" NOT NULL,
	"identifier_key" text collate "C" NOT NULL,
	"type" text collate "C" NOT NULL,
	"status" text collate "C" NOT NULL,
	"display_name" text collate "C",
	"config" text collate "C" DEFAULT '[]' NOT NULL,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "service_account" (
	"service_id" text collate "C" PRIMARY KEY NOT NULL,
	"id" bigint NOT NULL,
	"account_id" text collate "C" NOT NULL,
	"project_uid" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"email" text collate "C" NOT NULL,
	"email_key" text collate "C" NOT NULL,
	"created_by" text collate "C" NOT NULL,
	"updated_by" text collate "C",
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "api_token" (
	"handle" text collate "C" PRIMARY KEY NOT NULL,
	"service_id" text collate "C" NOT NULL,
	"hash" text collate "C" NOT NULL,
	"status" text collate "C" NOT NULL,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "role" (
	"uid" text collate "C" PRIMARY KEY NOT NULL,
	"id" bigint NOT NULL,
	"name" text collate "C" NOT NULL,
	"description" text collate "C" NOT NULL,
	"role_type" text collate "C" NOT NULL,
	"permissions" text collate "C" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "role_assignment" (
	"id" bigint PRIMARY KEY NOT NULL,
	"holder" text collate "C" NOT NULL,
	"resource_uid" text collate "C" NOT NULL,
	"role_uid" text collate "C" NOT NULL,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "signing_key" (
	"kid" text collate "C" PRIMARY KEY NOT NULL,
	"public_jwk" text collate "C" NOT NULL,
	"sealed_private" "bytea" NOT NULL,
	"created_at" bigint NOT NULL,
	"retired_at" bigint
);
--> statement-breakpoint
CREATE TABLE "counter" (
	"name" text collate "C" PRIMARY KEY NOT NULL,
	"value" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "identity_password" (
	"service_id" text collate "C" PRIMARY KEY NOT NULL,
	"hash" text collate "C" NOT NULL,
	"params" text collate "C" NOT NULL,
	"updated_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "init_token" (
	"service_id" text collate "C" PRIMARY KEY NOT NULL,
	"hash" text collate "C" NOT NULL,
	"created_at" bigint NOT NULL,
	"expires_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "session" (
	"hash" text collate "C" PRIMARY KEY NOT NULL,
	"id" text collate "C" NOT NULL,
	"service_id" text collate "C" NOT NULL,
	"created_at" bigint NOT NULL,
	"last_used_at" bigint NOT NULL,
	"expires_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "login_throttle" (
	"key" text collate "C" PRIMARY KEY NOT NULL,
	"failures" bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	"blocked_until" bigint
);
--> statement-breakpoint
CREATE TABLE "identity_lock" (
	"service_id" text collate "C" PRIMARY KEY NOT NULL,
	"until" bigint NOT NULL,
	"counted_as" text collate "C" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "app_redirect_uri" (
	"app_uid" text collate "C" NOT NULL,
	"uri" text collate "C" NOT NULL,
	CONSTRAINT "app_redirect_uri_app_uid_uri_pk" PRIMARY KEY("app_uid","uri")
);
--> statement-breakpoint
CREATE TABLE "consent" (
	"service_id" text collate "C" NOT NULL,
	"app_uid" text collate "C" NOT NULL,
	"created_at" bigint NOT NULL,
	CONSTRAINT "consent_service_id_app_uid_pk" PRIMARY KEY("service_id","app_uid")
);
--> statement-breakpoint
CREATE TABLE "authorization_code" (
	"hash" text collate "C" PRIMARY KEY NOT NULL,
	"id" text collate "C" NOT NULL,
	"app_uid" text collate "C" NOT NULL,
	"service_id" text collate "C" NOT NULL,
	"session_id" text collate "C" NOT NULL,
	"redirect_uri" text collate "C" NOT NULL,
	"challenge" text collate "C" NOT NULL,
	"expires_at" bigint NOT NULL,
	"used_at" bigint,
	"revoked_at" bigint
);
--> statement-breakpoint
CREATE TABLE "refresh_family" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"app_uid" text collate "C" NOT NULL,
	"service_id" text collate "C" NOT NULL,
	"session_id" text collate "C" NOT NULL,
	"created_at" bigint NOT NULL,
	"expires_at" bigint NOT NULL,
	"ended_at" bigint,
	"revoked_at" bigint
);
--> statement-breakpoint
CREATE TABLE "refresh_token" (
	"hash" text collate "C" PRIMARY KEY NOT NULL,
	"family_id" text collate "C" NOT NULL,
	"expires_at" bigint NOT NULL,
	"used_at" bigint
);
--> statement-breakpoint
CREATE TABLE "revoked_access_token" (
	"jti" text collate "C" PRIMARY KEY NOT NULL,
	"expires_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "client_assertion" (
	"key" text collate "C" PRIMARY KEY NOT NULL,
	"expires_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "service_account_key" (
	"key_id" bigint PRIMARY KEY NOT NULL,
	"service_id" text collate "C" NOT NULL,
	"public_key" text collate "C" NOT NULL,
	"public_key_format" text collate "C" NOT NULL,
	"private_key_format" text collate "C" NOT NULL,
	"status" text collate "C" NOT NULL,
	"generated_by" text collate "C" NOT NULL,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "resource_ancestor" (
	"resource_uid" text collate "C" NOT NULL,
	"ancestor_uid" text collate "C" NOT NULL,
	"type" text collate "C" NOT NULL,
	"depth" bigint NOT NULL,
	CONSTRAINT "resource_ancestor_resource_uid_ancestor_uid_pk" PRIMARY KEY("resource_uid","ancestor_uid")
);
--> statement-breakpoint
CREATE TABLE "resource_property" (
	"id" bigint PRIMARY KEY NOT NULL,
	"resource_uid" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"value" text collate "C" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "lookup_term" (
	"id" bigint PRIMARY KEY NOT NULL,
	"resource_uid" text collate "C" NOT NULL,
	"value" text collate "C" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "role_deletion" (
	"id" bigint PRIMARY KEY NOT NULL,
	"assignment_id" bigint NOT NULL,
	"requested_by" text collate "C" NOT NULL,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "app_identity_property" (
	"id" bigint PRIMARY KEY NOT NULL,
	"app_uid" text collate "C" NOT NULL,
	"service_id" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"value" text collate "C" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "invitation" (
	"id" bigint PRIMARY KEY NOT NULL,
	"organization_uid" text collate "C" NOT NULL,
	"user_email" text collate "C" NOT NULL,
	"email_subject" text collate "C",
	"message" text collate "C",
	"state" text collate "C" NOT NULL,
	"token" text collate "C" NOT NULL,
	"secret_hash" text collate "C",
	"saml" boolean NOT NULL,
	"created_by" text collate "C" NOT NULL,
	"created_by_app" text collate "C" NOT NULL,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	"expires_at" bigint NOT NULL,
	"mailed_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "invitation_role" (
	"id" bigint PRIMARY KEY NOT NULL,
	"invitation_id" bigint NOT NULL,
	"resource_uid" text collate "C" NOT NULL,
	"role_uid" text collate "C" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "image" (
	"uid" text collate "C" PRIMARY KEY NOT NULL,
	"owner" text collate "C" NOT NULL,
	"format" text collate "C" NOT NULL,
	"bytes" "bytea" NOT NULL,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "mail" (
	"uid" text collate "C" PRIMARY KEY NOT NULL,
	"sealed" "bytea" NOT NULL,
	"attempts" bigint NOT NULL,
	"due_at" bigint NOT NULL,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "timeline_bundle" (
	"uid" text collate "C" PRIMARY KEY NOT NULL,
	"activities" text collate "C" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "timeline" (
	"uid" text collate "C" PRIMARY KEY NOT NULL,
	"seq" bigint,
	"action" text collate "C" NOT NULL,
	"performed_at" bigint NOT NULL,
	"registered_at" bigint NOT NULL,
	"identity" text collate "C" NOT NULL,
	"app_id" text collate "C" NOT NULL,
	"project_id" text collate "C" NOT NULL,
	"scope" text collate "C" NOT NULL,
	"resource_uid" text collate "C" NOT NULL,
	"resource_id" text collate "C" NOT NULL,
	"resource_type" text collate "C" NOT NULL,
	"permission" text collate "C" NOT NULL,
	"service" text collate "C" NOT NULL,
	"target_object" text collate "C" NOT NULL,
	"details" text collate "C"
);
--> statement-breakpoint
CREATE TABLE "webhook" (
	"uid" text collate "C" PRIMARY KEY NOT NULL,
	"project_id" text collate "C" NOT NULL,
	"url" text collate "C" NOT NULL,
	"description" text collate "C",
	"types" text collate "C",
	"ledgers" text collate "C",
	"wallets" text collate "C",
	"format" text collate "C" NOT NULL,
	"status" text collate "C" NOT NULL,
	"reason" text collate "C",
	"secret" "bytea" NOT NULL,
	"earlier_secret" "bytea",
	"earlier_until" bigint,
	"place" bigint NOT NULL,
	"failing_since" bigint,
	"owner" text collate "C",
	"owned_until" bigint NOT NULL,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhook_delivery" (
	"webhook_uid" text collate "C" NOT NULL,
	"event_id" text collate "C" NOT NULL,
	"place" bigint NOT NULL,
	"ordered_by" text collate "C" NOT NULL,
	"action_id" text collate "C",
	"type" text collate "C" NOT NULL,
	"body" text collate "C" NOT NULL,
	"status" text collate "C" NOT NULL,
	"attempts" bigint NOT NULL,
	"due_at" bigint NOT NULL,
	"expires_at" bigint NOT NULL,
	"last_at" bigint,
	"last_status" bigint,
	"last_error" text collate "C",
	"created_at" bigint NOT NULL,
	CONSTRAINT "webhook_delivery_webhook_uid_event_id_pk" PRIMARY KEY("webhook_uid","event_id")
);
--> statement-breakpoint
CREATE TABLE "contract_subscription" (
	"uid" text collate "C" PRIMARY KEY NOT NULL,
	"project_id" text collate "C" NOT NULL,
	"contract_uid" text collate "C" NOT NULL,
	"contract_id" text collate "C" NOT NULL,
	"ledger_uid" text collate "C" NOT NULL,
	"ledger_id" text collate "C" NOT NULL,
	"events" text collate "C",
	"genesis" text collate "C" NOT NULL,
	"height" bigint NOT NULL,
	"hash" text collate "C",
	"event_index" bigint,
	"status" text collate "C" NOT NULL,
	"reason" text collate "C",
	"failures" bigint NOT NULL,
	"failing_since" bigint,
	"error" text collate "C",
	"behind" bigint,
	"behind_since" bigint,
	"owner" text collate "C",
	"owned_until" bigint NOT NULL,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "contract_event" (
	"uid" text collate "C" PRIMARY KEY NOT NULL,
	"subscription_uid" text collate "C" NOT NULL,
	"project_uid" text collate "C",
	"event_id" text collate "C" NOT NULL,
	"data" text collate "C" NOT NULL,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "storage_usage" (
	"scope" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"amount" bigint NOT NULL,
	CONSTRAINT "storage_usage_scope_name_pk" PRIMARY KEY("scope","name")
);
--> statement-breakpoint
CREATE TABLE "storage_limit" (
	"scope" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"most" bigint NOT NULL,
	"updated_by" text collate "C" NOT NULL,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "storage_limit_scope_name_pk" PRIMARY KEY("scope","name")
);
--> statement-breakpoint
CREATE TABLE "large_action" (
	"action_id" text collate "C" PRIMARY KEY NOT NULL,
	"organization_uid" text collate "C" NOT NULL,
	"bytes" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "private_data" (
	"action_id" text collate "C" PRIMARY KEY NOT NULL,
	"organization_uid" text collate "C" NOT NULL,
	"bytes" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "installation" (
	"id" bigint PRIMARY KEY NOT NULL,
	"installation_id" text collate "C" NOT NULL,
	"identity" text collate "C",
	"heartbeat" bigint NOT NULL,
	"set_back" text collate "C"
);
--> statement-breakpoint
CREATE INDEX "action_intent" ON "action" USING btree ("intent","project_id","created_at","id","wallet_uid","status");
--> statement-breakpoint
CREATE INDEX "action_lane" ON "action" USING btree ("chain","shard","stage","created_at","id") WHERE status = 'PENDING';
--> statement-breakpoint
CREATE INDEX "action_change" ON "action" USING btree ("chain") WHERE status = 'PENDING' and change is not null;
--> statement-breakpoint
CREATE INDEX "action_project" ON "action" USING btree ("project_id","id") WHERE stage <> '';
--> statement-breakpoint
CREATE INDEX "action_pending" ON "action" USING btree ("id","stage","waiting_code","project_id","ledger_id","wallet_uid") WHERE status = 'PENDING';
--> statement-breakpoint
CREATE INDEX "action_failed" ON "action" USING btree ("id") WHERE status = 'FAILED';
--> statement-breakpoint
CREATE INDEX "action_updated" ON "action" USING btree ("updated_at","id");
--> statement-breakpoint
CREATE INDEX "action_tag" ON "action" USING btree ("project_id","tag","id") WHERE tag is not null;
--> statement-breakpoint
CREATE INDEX "action_retracted" ON "action" USING btree ("ledger_id") WHERE retracted_at is not null;
--> statement-breakpoint
CREATE UNIQUE INDEX "action_given" ON "action" USING btree ("given_id","project_id") WHERE given_id is not null;
--> statement-breakpoint
CREATE UNIQUE INDEX "action_request" ON "action" USING btree ("request_key","request_position") WHERE request_key is not null;
--> statement-breakpoint
CREATE INDEX "deployment_contract" ON "deployment" USING btree ("project_id","contract_id");
--> statement-breakpoint
CREATE INDEX "action_dependency_reverse" ON "action_dependency" USING btree ("dependency_id");
--> statement-breakpoint
CREATE INDEX "action_listing_party" ON "action_listing" USING btree ("party");
--> statement-breakpoint
CREATE UNIQUE INDEX "attempt_action" ON "attempt" USING btree ("action_id","n");
--> statement-breakpoint
CREATE UNIQUE INDEX "attempt_sequence" ON "attempt" USING btree ("chain","address","sequence","n");
--> statement-breakpoint
CREATE INDEX "attempt_kept" ON "attempt" USING btree ("chain","shard","settled_at") WHERE bytes is not null;
--> statement-breakpoint
CREATE INDEX "claim_action" ON "claim" USING btree ("action_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "suspension_id" ON "suspension" USING btree ("id");
--> statement-breakpoint
CREATE INDEX "compared_account_incomplete" ON "compared_account" USING btree ("address") WHERE incomplete is not null;
--> statement-breakpoint
CREATE INDEX "action_release_unknown" ON "action_release" USING btree ("unknown_id");
--> statement-breakpoint
CREATE INDEX "idempotency_age" ON "idempotency" USING btree ("created_at");
--> statement-breakpoint
CREATE UNIQUE INDEX "wallet_project_id" ON "wallet" USING btree ("project_id","wallet_id");
--> statement-breakpoint
CREATE INDEX "wallet_address" ON "wallet" USING btree ("chain_id","address");
--> statement-breakpoint
CREATE INDEX "wallet_search_id" ON "wallet" USING btree ("project_id",lower(wallet_id));
--> statement-breakpoint
CREATE INDEX "wallet_search_address" ON "wallet" USING btree ("project_id",lower(address));
--> statement-breakpoint
CREATE UNIQUE INDEX "wallet_draft_project_id" ON "wallet_draft" USING btree ("project_id","wallet_id");
--> statement-breakpoint
CREATE INDEX "wallet_draft_created" ON "wallet_draft" USING btree ("created_at");
--> statement-breakpoint
CREATE INDEX "wallet_throttle_expires" ON "wallet_throttle" USING btree ("expires_at");
--> statement-breakpoint
CREATE UNIQUE INDEX "ledger_scope_id" ON "ledger" USING btree ("scope","ledger_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "node_scope_id" ON "node" USING btree ("scope","node_id");
--> statement-breakpoint
CREATE INDEX "node_ledger" ON "node" USING btree ("ledger_uid","position");
--> statement-breakpoint
CREATE UNIQUE INDEX "explorer_scope_id" ON "explorer" USING btree ("scope","explorer_id");
--> statement-breakpoint
CREATE INDEX "explorer_ledger" ON "explorer" USING btree ("ledger_uid","id");
--> statement-breakpoint
CREATE INDEX "explorer_node" ON "explorer" USING btree ("node_uid");
--> statement-breakpoint
CREATE UNIQUE INDEX "plugin_scope_id" ON "plugin" USING btree ("scope","plugin_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "plugin_tag_once" ON "plugin_tag" USING btree ("plugin_uid","tag");
--> statement-breakpoint
CREATE INDEX "plugin_tag_tag" ON "plugin_tag" USING btree ("tag","plugin_uid");
--> statement-breakpoint
CREATE INDEX "contract_group_project" ON "contract_group" USING btree ("project_id","created_at");
--> statement-breakpoint
CREATE UNIQUE INDEX "contract_project_id" ON "contract" USING btree ("project_id","contract_id");
--> statement-breakpoint
CREATE INDEX "contract_by_group" ON "contract" USING btree ("group_id","created_at");
--> statement-breakpoint
CREATE INDEX "contract_ledger" ON "contract" USING btree ("ledger_uid");
--> statement-breakpoint
CREATE INDEX "contract_search_name" ON "contract" USING btree ("project_id",lower(name));
--> statement-breakpoint
CREATE INDEX "contract_search_reference" ON "contract" USING btree ("project_id",lower(native_reference));
--> statement-breakpoint
CREATE UNIQUE INDEX "contract_property_once" ON "contract_property" USING btree ("contract_uid","name");
--> statement-breakpoint
CREATE UNIQUE INDEX "named_type_once" ON "named_type" USING btree ("scope","name");
--> statement-breakpoint
CREATE UNIQUE INDEX "ledger_token_project_id" ON "ledger_token" USING btree ("project_id","token_id");
--> statement-breakpoint
CREATE INDEX "ledger_token_contract" ON "ledger_token" USING btree ("contract_uid");
--> statement-breakpoint
CREATE UNIQUE INDEX "template_project_id" ON "template" USING btree ("project_id","template_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "specification_tag" ON "specification" USING btree ("template_uid","tag");
--> statement-breakpoint
CREATE INDEX "specification_pending" ON "specification" USING btree ("due_at","id") WHERE status = 'PENDING';
--> statement-breakpoint
CREATE UNIQUE INDEX "resource_id_once" ON "resource" USING btree ("id_scope","resource_id");
--> statement-breakpoint
CREATE INDEX "resource_parent" ON "resource" USING btree ("parent_uid");
--> statement-breakpoint
CREATE INDEX "resource_type_id" ON "resource" USING btree ("type","resource_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "organization_organization_id" ON "organization" USING btree ("organization_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "project_organization_id" ON "project" USING btree ("organization_uid","project_id");
--> statement-breakpoint
CREATE INDEX "project_project_id" ON "project" USING btree ("project_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "app_project_id" ON "app" USING btree ("project_uid","app_id");
--> statement-breakpoint
CREATE INDEX "app_app_id" ON "app" USING btree ("app_id","id");
--> statement-breakpoint
CREATE UNIQUE INDEX "app_token_hash" ON "app" USING btree ("token_hash");
--> statement-breakpoint
CREATE UNIQUE INDEX "app_former_token_hash" ON "app" USING btree ("former_token_hash");
--> statement-breakpoint
CREATE UNIQUE INDEX "identity_identifier_key" ON "identity" USING btree ("identifier_key");
--> statement-breakpoint
CREATE INDEX "identity_identifier" ON "identity" USING btree ("identifier");
--> statement-breakpoint
CREATE UNIQUE INDEX "service_account_project_id" ON "service_account" USING btree ("project_uid","account_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "service_account_project_email" ON "service_account" USING btree ("project_uid","email_key");
--> statement-breakpoint
CREATE INDEX "service_account_account_id" ON "service_account" USING btree ("account_id","id");
--> statement-breakpoint
CREATE INDEX "service_account_email" ON "service_account" USING btree ("email_key");
--> statement-breakpoint
CREATE INDEX "api_token_account" ON "api_token" USING btree ("service_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "api_token_hash" ON "api_token" USING btree ("hash");
--> statement-breakpoint
CREATE UNIQUE INDEX "role_name" ON "role" USING btree ("role_type","name");
--> statement-breakpoint
CREATE UNIQUE INDEX "role_assignment_once" ON "role_assignment" USING btree ("holder","resource_uid","role_uid");
--> statement-breakpoint
CREATE INDEX "role_assignment_resource" ON "role_assignment" USING btree ("resource_uid");
--> statement-breakpoint
CREATE INDEX "role_assignment_role" ON "role_assignment" USING btree ("role_uid","resource_uid");
--> statement-breakpoint
CREATE UNIQUE INDEX "init_token_hash" ON "init_token" USING btree ("hash");
--> statement-breakpoint
CREATE INDEX "init_token_expiry" ON "init_token" USING btree ("expires_at");
--> statement-breakpoint
CREATE UNIQUE INDEX "session_id" ON "session" USING btree ("id");
--> statement-breakpoint
CREATE INDEX "session_identity" ON "session" USING btree ("service_id");
--> statement-breakpoint
CREATE INDEX "session_expiry" ON "session" USING btree ("expires_at");
--> statement-breakpoint
CREATE INDEX "login_throttle_age" ON "login_throttle" USING btree ("updated_at");
--> statement-breakpoint
CREATE INDEX "identity_lock_end" ON "identity_lock" USING btree ("until");
--> statement-breakpoint
CREATE UNIQUE INDEX "authorization_code_id" ON "authorization_code" USING btree ("id");
--> statement-breakpoint
CREATE INDEX "authorization_code_session" ON "authorization_code" USING btree ("session_id");
--> statement-breakpoint
CREATE INDEX "authorization_code_expiry" ON "authorization_code" USING btree ("expires_at");
--> statement-breakpoint
CREATE INDEX "refresh_family_identity" ON "refresh_family" USING btree ("service_id");
--> statement-breakpoint
CREATE INDEX "refresh_family_session" ON "refresh_family" USING btree ("session_id");
--> statement-breakpoint
CREATE INDEX "refresh_family_expiry" ON "refresh_family" USING btree ("expires_at");
--> statement-breakpoint
CREATE INDEX "refresh_token_family" ON "refresh_token" USING btree ("family_id");
--> statement-breakpoint
CREATE INDEX "refresh_token_expiry" ON "refresh_token" USING btree ("expires_at");
--> statement-breakpoint
CREATE INDEX "revoked_access_token_expiry" ON "revoked_access_token" USING btree ("expires_at");
--> statement-breakpoint
CREATE INDEX "client_assertion_expiry" ON "client_assertion" USING btree ("expires_at");
--> statement-breakpoint
CREATE INDEX "service_account_key_account" ON "service_account_key" USING btree ("service_id","key_id");
--> statement-breakpoint
CREATE INDEX "resource_ancestor_below" ON "resource_ancestor" USING btree ("ancestor_uid","type","resource_uid");
--> statement-breakpoint
CREATE UNIQUE INDEX "resource_property_once" ON "resource_property" USING btree ("resource_uid","name");
--> statement-breakpoint
CREATE UNIQUE INDEX "lookup_term_once" ON "lookup_term" USING btree ("resource_uid","value");
--> statement-breakpoint
CREATE INDEX "lookup_term_value" ON "lookup_term" USING btree ("value");
--> statement-breakpoint
CREATE UNIQUE INDEX "role_deletion_assignment" ON "role_deletion" USING btree ("assignment_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "app_identity_property_once" ON "app_identity_property" USING btree ("app_uid","service_id","name");
--> statement-breakpoint
CREATE UNIQUE INDEX "invitation_token" ON "invitation" USING btree ("token");
--> statement-breakpoint
CREATE UNIQUE INDEX "invitation_secret" ON "invitation" USING btree ("secret_hash");
--> statement-breakpoint
CREATE INDEX "invitation_organization" ON "invitation" USING btree ("organization_uid","state");
--> statement-breakpoint
CREATE INDEX "invitation_mails" ON "invitation" USING btree ("organization_uid","mailed_at");
--> statement-breakpoint
CREATE INDEX "invitation_address" ON "invitation" USING btree ("user_email","mailed_at");
--> statement-breakpoint
CREATE UNIQUE INDEX "invitation_role_once" ON "invitation_role" USING btree ("invitation_id","resource_uid","role_uid");
--> statement-breakpoint
CREATE UNIQUE INDEX "image_owner" ON "image" USING btree ("owner");
--> statement-breakpoint
CREATE INDEX "mail_due" ON "mail" USING btree ("due_at");
--> statement-breakpoint
CREATE UNIQUE INDEX "timeline_seq" ON "timeline" USING btree ("seq");
--> statement-breakpoint
CREATE INDEX "timeline_unnumbered" ON "timeline" USING btree ("uid") WHERE seq is null;
--> statement-breakpoint
CREATE INDEX "timeline_resource" ON "timeline" USING btree ("resource_id","performed_at");
--> statement-breakpoint
CREATE INDEX "timeline_resource_uid" ON "timeline" USING btree ("resource_uid","performed_at");
--> statement-breakpoint
CREATE INDEX "timeline_service" ON "timeline" USING btree ("service","action","performed_at");
--> statement-breakpoint
CREATE INDEX "timeline_service_time" ON "timeline" USING btree ("service","performed_at");
--> statement-breakpoint
CREATE INDEX "timeline_type" ON "timeline" USING btree ("resource_type","performed_at");
--> statement-breakpoint
CREATE INDEX "timeline_time" ON "timeline" USING btree ("performed_at");
--> statement-breakpoint
CREATE INDEX "webhook_project" ON "webhook" USING btree ("project_id","uid");
--> statement-breakpoint
CREATE INDEX "webhook_delivery_due" ON "webhook_delivery" USING btree ("webhook_uid","due_at") WHERE status = 'PENDING';
--> statement-breakpoint
CREATE INDEX "webhook_delivery_order" ON "webhook_delivery" USING btree ("webhook_uid","ordered_by","place") WHERE status = 'PENDING';
--> statement-breakpoint
CREATE INDEX "webhook_delivery_listed" ON "webhook_delivery" USING btree ("webhook_uid","status","place");
--> statement-breakpoint
CREATE INDEX "webhook_delivery_dead" ON "webhook_delivery" USING btree ("webhook_uid","place") WHERE status = 'DEAD';
--> statement-breakpoint
CREATE INDEX "webhook_delivery_age" ON "webhook_delivery" USING btree ("created_at");
--> statement-breakpoint
CREATE INDEX "contract_subscription_project" ON "contract_subscription" USING btree ("project_id","uid");
--> statement-breakpoint
CREATE INDEX "contract_subscription_active" ON "contract_subscription" USING btree ("owned_until") WHERE status = 'ACTIVE';
--> statement-breakpoint
CREATE UNIQUE INDEX "contract_event_once" ON "contract_event" USING btree ("subscription_uid","event_id");
--> statement-breakpoint
CREATE INDEX "contract_event_age" ON "contract_event" USING btree ("created_at");
