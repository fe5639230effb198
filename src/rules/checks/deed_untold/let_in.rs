//! Deeds that let somebody in: accounts and roles, keys, tunnels, remote desktops; and those that watch or use what is the
//! user's.

use super::deeds::{Deed, called};

/// The deeds, each with the words by which an honest skill tells of it.
pub(super) fn deeds() -> Vec<Deed> {
    vec![
        called(
            "makes an account or gives rights",
            r#"\biam%(?:create-user|create-access-key|create-login-profile|attach-(?:user|role)-policy|put-(?:user|role)-policy|update-assume-role-policy|add-user-to-group)\b|\badd-iam-policy-binding\b|\brole%assignment%create\b|\bcreate%(?:clusterrolebinding|rolebinding)\b|\bNew-LocalUser\b|\bAdd-LocalGroupMember\b|\bnet%user%[^\n]{0,60}/add\b|\bnet%localgroup%administrators\b|\b(?:useradd|adduser)%-|\bsysadminctl%-addUser\b|\bdscl%\.%-create%/Users|\busermod%-a?G%(?:sudo|wheel|admin|root)\b|\bgpasswd%-a\b|/etc/sudoers\b|\bsetcap%cap_\w+|\bALTER%(?:ROLE|USER)%[^\n]{0,40}\bSUPERUSER\b|\bCREATE%(?:ROLE|USER)%[^\n]{0,60}\bSUPERUSER\b|\bGRANT%ALL%PRIVILEGES\b|\bcollaborators/[^\n]{0,60}\bPUT\b|\bPUT\b[^\n]{0,80}/collaborators/|\bgh%(?:ssh-key|gpg-key)%add\b|/user/keys\b[^\n]{0,40}POST|POST[^\n]{0,60}/user/keys\b|/memberships/[^\n]{0,60}\badmin\b"#,
            r"\biam\b|collaborators?\b|\b(?:add|creat|invit|onboard|provision|manag)\w*[^.\n]{0,40}\b(?:users?|accounts?|members?|roles?|keys?)\b|\baccess keys?\b|role (?:assign|bind)|clusterrolebinding|super-?user|admin(?:istrator)? (?:user|account|role|rights)|sudo(?:ers)?\b|\bgrant|privileges?|deploy user|service account|Benutzer|用户|usuarios?",
        ),
        called(
            "opens a way into the machine",
            r#"\bngrok%(?:http|tcp|start|tls)\b|\bcloudflared\b[^\n]{0,60}\btunnel\b|\bnpx%(?:--yes%|-y%)?localtunnel\b|\blt%--port\b|\bssh%[^\n]{0,60}-R%?\d*:?|\bserveo\.net\b|\blocalhost\.run\b|\bpinggy\.io\b|\bbore%local\b|\bchisel%client\b|\bfrpc?%-c\b|\btailscale%(?:up|funnel)\b|\bzerotier-cli%join\b|\bx11vnc\b|\bvncserver\b|\bAnyDesk\b|\bTeamViewer\b|\brustdesk\b|\bscreenconnect\b|\bateraagent\b|--remote-debugging-address=0|\bsystemsetup%-setremotelogin%on\b|\bkickstart\b[^\n]{0,60}-activate|\bEnable-PSRemoting\b|\bfDenyTSConnections\b|\bdockerd?\b[^\n]{0,60}tcp://0\.0\.0\.0|\bgetty\b[^\n]{0,40}--autologin"#,
            r"\bngrok\b|tunnel|\bexpos(?:e|es|ing|ed)\b|\bremote (?:desktop|access|login|debug)|\bpublic (?:url|address)|\bshare (?:it|the|a|your)[^.\n]{0,30}(?:preview|server|link)|reverse proxy|\bvnc\b|\brdp\b|tailscale|zerotier|cloudflare|\bssh\b|远程|隧道|Fernzugriff|acceso remoto",
        ),
        called(
            "watches what the user does",
            r#"\bpynput\b|\bkeyboard\.(?:on_press|on_release|hook|record|add_hotkey)\b|\bGetAsyncKeyState\b|\bSetWindowsHookEx\b|\bCGEventTapCreate\b|\b(?:io|ui)hook\b|\blogkeys\b|\bxinput%test|\bevdev\b[^\n]{0,60}read_loop|\bscreencapture%-|\bgnome-screenshot\b|\bscrot%|\bgrim%|\bImageGrab\.grab\(|\bmss\.mss\(|\bpyautogui\.screenshot\(|\bscreenshot-desktop\b|\bCopyFromScreen\b|\bsounddevice\b|\bsd\.rec\(|\bpyaudio\b|\barecord%|\bavfoundation\b|\bcv2\.VideoCapture\(\s?0|\bimagesnap\b|\bfswebcam\b|\bpyperclip\.paste\(|\bclipboardy\b|\bpbpaste\b|\bxclip%[^\n]{0,30}-o\b|\bwl-paste\b|\bGet-Clipboard\b|\bGetForegroundWindow\b"#,
            r"clipboard|\bpaste|screen|\brecord|audio|microphone|\bmic\b|camera|webcam|keyboard|hot-?keys?|keystroke|shortcut|\bkeys?\b|window|dictat|speech|voice|Zwischenablage|Bildschirm|剪贴板|截图|屏幕|portapapeles|captura",
        ),
        called(
            "lends the machine to others",
            r"\b(?:nbminer|lolminer|ethminer|cpuminer|cgminer|bfgminer|t-rex|phoenixminer|gminer|nanominer|srbminer)\b|\bnicehash\b|\bunmineable\b|\bmoneroocean\b|\bcryptonight\b|\bkawpow\b|\bverushash\b|\b(?:honeygain|earnapp|iproyal|pawns-cli|packetstream|traffmonetizer|peer2profit|repocket|proxyrack|bitping)\b",
            r"\bmin(?:e|er|ing)\b|hashrate|bandwidth|passive income|\bearn",
        ),
    ]
}
