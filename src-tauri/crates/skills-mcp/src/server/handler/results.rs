//! The results of the methods: what the provider gives to this caller, in pages.

use std::sync::Arc;

use rmcp::model::{
    CacheScope, ErrorData, Extensions, GetSkillResult, ListResourceTemplatesResult,
    ListResourcesResult, ListSkillsResult, PaginatedRequestParams,
    ReadResourceDirectoryRequestParams, ReadResourceDirectoryResult, ReadResourceResult,
};
use skills::provider::Provider;

use super::super::answers::{no_directory, no_skill, to_contents, to_resource, to_template};
use super::super::apart::Apart;
use super::super::pages::{cursor_after, last_of, no_such_page, page};
use super::super::room::Held;
use super::SkillServer;
use super::seen::Asked;

impl SkillServer {
    /// Asks the provider as the caller sees it.
    async fn ask<T: Send + 'static>(
        &self,
        asked: &Asked,
        question: impl FnOnce(&dyn Provider) -> T + Send + 'static,
    ) -> Result<T, ErrorData> {
        let provider = self.shared.seen_by(&asked.caller);
        self.shared.away(move || question(provider.as_ref())).await
    }

    /// How long an answer may be kept, which only newer clients are told: not at all, each request
    /// sees the folder as it is.
    fn hints(&self, asked: &Asked, ttl: &mut Option<u64>, scope: &mut Option<CacheScope>) {
        if asked.modern {
            *ttl = Some(0);
            *scope = Some(self.shared.scope);
        }
    }

    pub(super) async fn resources(
        &self,
        asked: &Asked,
        request: Option<PaginatedRequestParams>,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.shared.before_a_list(&asked.caller).await;
        let listing = self.ask(asked, |provider| provider.list()).await?;
        self.shared.warn(&listing.warnings);
        let size = self.shared.page_size;
        let (resources, next) = page(listing.resources, request, size, |resource| &resource.uri)?;
        let resources = resources.into_iter().map(to_resource).collect();
        let mut result = ListResourcesResult::with_all_items(resources);
        result.next_cursor = next;
        self.hints(asked, &mut result.ttl_ms, &mut result.cache_scope);
        Ok(result)
    }

    pub(super) async fn templates(
        &self,
        asked: &Asked,
        request: Option<PaginatedRequestParams>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let listing = self.ask(asked, |provider| provider.list()).await?;
        let size = self.shared.page_size;
        let (templates, next) =
            page(listing.templates, request, size, |template| &template.uri_template)?;
        let templates = templates.into_iter().map(to_template).collect();
        let mut result = ListResourceTemplatesResult::with_all_items(templates);
        result.next_cursor = next;
        self.hints(asked, &mut result.ttl_ms, &mut result.cache_scope);
        Ok(result)
    }

    pub(super) async fn contents(
        &self,
        asked: &Asked,
        uri: String,
        extensions: &Extensions,
    ) -> Result<ReadResourceResult, ErrorData> {
        let provider = self.shared.seen_by(&asked.caller);
        let (contents, room) = self.shared.read(provider, uri, to_contents).await?;
        Held::until_sent(extensions, room);
        let mut result = ReadResourceResult::new(vec![contents]);
        self.hints(asked, &mut result.ttl_ms, &mut result.cache_scope);
        Ok(result)
    }

    pub(super) async fn skills(
        &self,
        asked: &Asked,
        request: Option<PaginatedRequestParams>,
        apart: Option<Apart>,
    ) -> Result<ListSkillsResult, ErrorData> {
        self.shared.before_a_list(&asked.caller).await;
        let shared = Arc::clone(&self.shared);
        let listed = self.ask(asked, move |provider| {
            let after = last_of(request)?;
            let entries = match after.as_deref() {
                None if shared.page_size == usize::MAX => provider.entries(),
                Some(after) if provider.entry(after).is_none() => return Err(no_such_page()),
                after => provider.entries_after(after, shared.page_size, &|_| true),
            };
            let entries = entries.unwrap_or_default();
            shared.warn(&entries.warnings);
            let last = entries.entries.last().filter(|_| entries.more);
            let next = last.map(|last| cursor_after(last.uri().as_str()));
            let skills = shared.published.all(&entries.entries);
            let skills = match apart {
                Some(apart) => {
                    apart.leave(skills.iter().map(|written| written.json.clone()).collect());
                    Vec::new()
                }
                None => skills.iter().map(|written| written.skill.clone()).collect(),
            };
            Ok((skills, next))
        });
        let (skills, next) = listed.await??;
        let mut result = ListSkillsResult::with_all_items(skills);
        result.next_cursor = next;
        self.hints(asked, &mut result.ttl_ms, &mut result.cache_scope);
        Ok(result)
    }

    pub(super) async fn skill(
        &self,
        asked: &Asked,
        uri: String,
    ) -> Result<GetSkillResult, ErrorData> {
        let wanted = uri.clone();
        let entry = self.ask(asked, move |provider| provider.entry(&wanted)).await?;
        // An entry has one URI, whatever other spellings its resources may be read by.
        let skill = entry
            .and_then(|entry| self.shared.published.one(&entry))
            .filter(|written| written.skill.uri == uri)
            .ok_or_else(|| no_skill(&uri))?;
        let mut result = GetSkillResult::new(skill.skill.clone());
        self.hints(asked, &mut result.ttl_ms, &mut result.cache_scope);
        Ok(result)
    }

    pub(super) async fn directory(
        &self,
        asked: &Asked,
        request: ReadResourceDirectoryRequestParams,
    ) -> Result<ReadResourceDirectoryResult, ErrorData> {
        let uri = request.uri.clone();
        let children = self
            .ask(asked, move |provider| provider.directory(&uri))
            .await?
            .ok_or_else(|| no_directory(&request.uri))?;
        let params = PaginatedRequestParams::default().with_cursor(request.cursor);
        let size = self.shared.page_size;
        let (children, next) = page(children, Some(params), size, |resource| &resource.uri)?;
        let children = children.into_iter().map(to_resource).collect();
        let mut result = ReadResourceDirectoryResult::with_all_items(children);
        result.next_cursor = next;
        self.hints(asked, &mut result.ttl_ms, &mut result.cache_scope);
        Ok(result)
    }
}
