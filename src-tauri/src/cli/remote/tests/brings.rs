//! Skills that bring a folder in which a tool looks.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_of_a_project_that_comes_with_a_skill_needs_its_fingerprint() {
    let (own, inner) = (
        "---\nname: skills\ndescription: Is a folder.\n---\n",
        "---\nname: inner\ndescription: Inside.\n---\n",
    );
    let told = Told::default()
        .with("skills", &[("SKILL.md", own.as_bytes()), ("inner/SKILL.md", inner.as_bytes())])
        .with(
            "talk",
            &[("SKILL.md", TALK.as_bytes()), (".claude/skills/inner/SKILL.md", inner.as_bytes())],
        );
    let played = Played::new(told).await;
    fs::create_dir_all(played.at("site/.claude")).unwrap();
    for (skill, to, folder) in [
        ("skills", "site/.claude", "site/.claude/skills"),
        ("talk", "out", "out/talk/.claude/skills"),
    ] {
        let (json, refused) = played.json(&format!("download URL {skill} --to HOME/{to}")).await;
        assert!(refused, "{json}");
        let reason = json["skills"][0]["reason"].as_str().unwrap();
        assert!(reason.contains(&format!("/{folder} is a folder in which skills")), "{reason}");
        assert!(!played.at(folder).exists());
    }
}
